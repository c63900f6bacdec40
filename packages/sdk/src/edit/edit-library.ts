import { setTimeout as sleep } from 'node:timers/promises';
import { type LibraryDetail, type Manifest, SOURCE_CURATION_PATH } from '@bindery/contract';
import { readBytes } from '../client/answers.ts';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { CURATION_BYTES } from '../curation/index.ts';
import type { LibraryAddress } from '../library/address.ts';
import { presign, type RemoteLibrary, readRemoteLibrary, readRow } from '../library/remote-library.ts';
import { divideArtifacts } from '../push/carry-artifacts.ts';
import { type Publication, publish } from '../push/publish.ts';
import { bufferSource, type UploadSource } from '../push/upload-source.ts';
import type { ProgressListener } from '../tree/progress.ts';

export interface EditOptions {
  cacheFolder: string;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** A new manifest, the files and platform artifacts that it brings, and what becomes of the author's `bindery.yml`. */
export interface Edit extends Pick<Publication, 'manifest' | 'files'> {
  artifacts?: readonly UploadSource[];
  editCuration?(text: string): string;
}

const MOST_TRIES = 10;
const PAUSE_MS = 100;

/** Changes a library in place. `edit` sees the current revision, and sees it anew where somebody else was faster. */
export async function editLibrary(
  client: Client,
  address: LibraryAddress,
  edit: (manifest: Manifest) => Edit,
  options: EditOptions,
): Promise<LibraryDetail> {
  for (let tries = 1; ; tries++) {
    const row = await readRow(client, address, options.signal);
    try {
      const remote = await readRemoteLibrary(client, address, row, {
        ...options,
        artifacts: ({ generated = [] }) => generated,
      });
      const { editCuration, artifacts = [], ...change } = edit(remote.manifest);
      const curation = await editedCuration(client, address, remote, editCuration, options);
      const { fresh, kept } = divideArtifacts(change.manifest, [...curation, ...artifacts], remote);
      return await publish(
        client,
        address,
        { ...change, artifacts: fresh, keptArtifacts: kept, expectedRevision: row.revision },
        options,
      );
    } catch (error) {
      if (!lostRace(error) || tries === MOST_TRIES) throw error;
      await sleep(
        PAUSE_MS * Math.random() * tries,
        undefined,
        options.signal ? { signal: options.signal } : {},
      );
    }
  }
}

/** Somebody else registered while this was under way. */
function lostRace(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'revision_conflict' || error.code === 'unknown_path');
}

async function editedCuration(
  client: Client,
  address: LibraryAddress,
  { manifest }: RemoteLibrary,
  edit: Edit['editCuration'],
  { signal }: EditOptions,
) {
  if (edit === undefined || !manifest.generated?.includes(SOURCE_CURATION_PATH)) return [];
  const { files } = await presign(client, address, [SOURCE_CURATION_PATH], signal);
  const response = await client.open({ url: files[0]?.url ?? '', ...(signal ? { signal } : {}) });
  const before = (await readBytes(response, CURATION_BYTES, client.baseUrl)).toString('utf8');
  const after = edit(before);
  return after === before ? [] : [bufferSource(SOURCE_CURATION_PATH, Buffer.from(after))];
}
