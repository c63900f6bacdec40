import { setTimeout as sleep } from 'node:timers/promises';
import { type LibraryDetail, type Manifest, SOURCE_CURATION_PATH } from '@bindery/contract';
import { bringVectors, type EmbeddingRequest } from '../artifacts/bring-vectors.ts';
import type { EmbeddingReport } from '../artifacts/embed-assets.ts';
import type { Client } from '../client/client.ts';
import { CURATION_BYTES } from '../curation/index.ts';
import type { LibraryAddress } from '../library/address.ts';
import { downloadArtifacts } from '../library/download-artifacts.ts';
import { hasMovedOn } from '../library/moved-on.ts';
import { type RemoteLibrary, readHead, readRemoteLibrary } from '../library/remote-library.ts';
import { divideArtifacts, type LostArtifacts, lostThumbnails } from '../push/carry-artifacts.ts';
import { type Publication, publish } from '../push/publish.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { bufferSource, type UploadSource } from '../tree/upload-source.ts';

export interface EditOptions {
  cacheFolder: string;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** A new manifest, the files and platform artifacts that it brings, and what becomes of the author's `bindery.yml`. */
export interface Edit extends Pick<Publication, 'manifest' | 'files' | 'verify'> {
  artifacts?: readonly UploadSource[];
  /** Vectors to make, and where the files lie that they are made of. */
  embed?: { embedding: EmbeddingRequest; root: string } | undefined;
  editCuration?(text: string): string;
}

const MAX_TRIES = 10;
const PAUSE_MS = 100;

export interface Edited {
  library: LibraryDetail;
  /** Null where nothing was to be embedded. */
  embeddings: EmbeddingReport | null;
  /** Assets that lost what was drawn and encoded of them, because they changed and nothing new was asked for. */
  lost: LostArtifacts;
  /** What was found amiss, here or by the service, and was no reason to stop. */
  warnings: string[];
}

/** Changes a library in place. `edit` sees the current revision, and sees it anew where somebody else was faster. */
export async function editLibrary(
  client: Client,
  address: LibraryAddress,
  edit: (manifest: Manifest) => Edit,
  options: EditOptions,
): Promise<Edited> {
  for (let tries = 1; ; tries++) {
    const head = await readHead(client, address, options.signal);
    try {
      const remote = await readRemoteLibrary(client, address, head, {
        ...options,
        artifacts: ({ generated = [] }) => generated,
      });
      const change = edit(remote.manifest);
      const { artifacts: made = [], embed } = change;
      const next = { manifest: change.manifest, root: embed?.root ?? '', made };
      const vectors = await bringVectors(client, address, next, remote, embed?.embedding ?? null, options);
      const curation = await editedCuration(client, address, remote, change.editCuration, options);
      const artifacts = [...curation, ...made, ...vectors.sources];
      const { fresh, kept } = divideArtifacts(vectors.manifest, artifacts, remote);
      const library = await publish(
        client,
        address,
        {
          manifest: vectors.manifest,
          files: change.files,
          artifacts: fresh,
          keptArtifacts: kept,
          expectedRevision: head.row.revision,
          verify: change.verify,
        },
        options,
      );
      const warnings = [...vectors.warnings, ...(library.warnings ?? [])];
      const lost = { thumbnails: lostThumbnails(remote.manifest, vectors.manifest), vectors: vectors.lost };
      return { library, embeddings: vectors.report, lost, warnings };
    } catch (error) {
      if (!hasMovedOn(error) || tries === MAX_TRIES) throw error;
      await sleep(
        PAUSE_MS * Math.random() * tries,
        undefined,
        options.signal ? { signal: options.signal } : {},
      );
    }
  }
}

async function editedCuration(
  client: Client,
  address: LibraryAddress,
  { artifacts }: RemoteLibrary,
  edit: Edit['editCuration'],
  { signal }: EditOptions,
) {
  if (edit === undefined) return [];
  const held = artifacts.get(SOURCE_CURATION_PATH);
  if (held === undefined || held.size > CURATION_BYTES) return [];
  const before = (await downloadArtifacts(client, address, [held], signal))
    .get(SOURCE_CURATION_PATH)
    ?.toString('utf8');
  if (before === undefined) return [];
  const after = edit(before);
  return after === before ? [] : [bufferSource(SOURCE_CURATION_PATH, Buffer.from(after))];
}
