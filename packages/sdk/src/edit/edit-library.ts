import type { LibraryDetail, Manifest } from '@bindery/contract';
import { SOURCE_CURATION_PATH } from '@bindery/contract/wire';
import {
  carryVectors,
  type EmbeddingReport,
  type NextRevision,
  type PreparedVectors,
} from '../artifacts/vectors.ts';
import type { LibraryClient } from '../client/call.ts';
import { sleep } from '../client/retry.ts';
import { CURATION_BYTES } from '../curation/edits.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import {
  downloadFiles,
  isRevisionConflict,
  type ReadOptions,
  type RemoteLibrary,
  readHead,
  readLibrary,
} from '../library/read-library.ts';
import { divideArtifacts, type LostArtifacts, lostThumbnails } from '../push/carry.ts';
import { changesSince } from '../push/changes.ts';
import { proposeChanges, publish } from '../push/publish.ts';
import type { ProposedText } from '../push/source.ts';
import type { Publication } from '../push/upload.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';

export interface EditOptions extends ReadOptions {
  /** Keep the change as a proposal, instead of publishing it. */
  propose?: ProposedText | undefined;
  progress?: ProgressListener | undefined;
}

/** A new manifest, the files and platform artifacts to upload with it, and the change to the author's `bindery.yml`. */
export interface Edit extends Pick<Publication, 'manifest' | 'files' | 'verify'> {
  artifacts?: readonly UploadSource[];
  /** Makes vectors, instead of keeping those that are still valid. */
  embed?: ((next: NextRevision, remote: RemoteLibrary) => Promise<PreparedVectors>) | undefined;
  /** Receives an empty text if there is no file yet. */
  editCuration?(text: string): string;
}

const MAX_TRIES = 10;
const PAUSE_MS = 100;

export interface EditResult {
  library: LibraryDetail;
  /** The number of the proposal that it is kept as; absent if it was published. */
  proposal?: number;
  /** Null if nothing was to be embedded. */
  embeddings: EmbeddingReport | null;
  /** Assets that lost their drawn thumbnails or vectors, because they changed and no new ones were requested. */
  lost: LostArtifacts;
  /** Problems found here or by the service that were no reason to stop. */
  warnings: string[];
}

/** Changes a library in place. `edit` gets the current manifest, again if somebody else published first. */
export async function editLibrary(
  client: LibraryClient,
  address: LibraryAddress,
  edit: (manifest: Manifest) => Edit,
  options: EditOptions,
): Promise<EditResult> {
  for (let tries = 1; ; tries++) {
    const head = await readHead(client, address, options.signal);
    try {
      const remote = await readLibrary(client, address, head, {
        ...options,
        artifacts: ({ generated = [] }) => generated,
      });
      const change = edit(remote.manifest);
      const { artifacts: newArtifacts = [] } = change;
      const next = { manifest: change.manifest, newArtifacts };
      const vectors = change.embed
        ? await change.embed(next, remote)
        : await carryVectors(client, address, next, remote, options);
      const curation = await editedCuration(client, address, remote, change.editCuration, options);
      const artifacts = [...curation, ...newArtifacts, ...vectors.sources];
      const { fresh, kept } = divideArtifacts(vectors.manifest, artifacts, remote);
      const publication = {
        manifest: vectors.manifest,
        composed: changesSince(remote, vectors.manifest),
        files: change.files,
        artifacts: fresh,
        keptArtifacts: kept,
        expectedRevision: head.row.revision,
        verify: change.verify,
      };
      const { propose } = options;
      const proposal =
        propose && (await proposeChanges(client, address, { remote }, publication, propose, options));
      const library = propose ? head.row : await publish(client, address, publication, options);
      const warnings = [...vectors.warnings, ...(library.warnings ?? [])];
      const lost = { thumbnails: lostThumbnails(remote.manifest, vectors.manifest), vectors: vectors.lost };
      return { library, ...(proposal && { proposal }), embeddings: vectors.report, lost, warnings };
    } catch (error) {
      if (!isRevisionConflict(error) || tries === MAX_TRIES) throw error;
      await sleep(PAUSE_MS * Math.random() * tries, options.signal);
    }
  }
}

async function editedCuration(
  client: LibraryClient,
  address: LibraryAddress,
  { artifacts }: RemoteLibrary,
  edit: Edit['editCuration'],
  { signal }: EditOptions,
) {
  if (edit === undefined) return [];
  const held = artifacts.get(SOURCE_CURATION_PATH);
  if (held !== undefined && held.size > CURATION_BYTES) return [];
  const found = held && (await downloadFiles(client, address, [held], signal));
  const before = new TextDecoder().decode(found?.get(SOURCE_CURATION_PATH));
  const after = edit(before);
  return after === before ? [] : [bytesSource(SOURCE_CURATION_PATH, new TextEncoder().encode(after))];
}
