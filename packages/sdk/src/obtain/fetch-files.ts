import { join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { PartialFiles } from '../place/partial-files.ts';
import {
  type ArrivedContent,
  type ContentBuffer,
  ContentBufferPool,
  MAX_IN_MEMORY,
  Placement,
} from '../place/placement.ts';
import { recordWritten, type TargetFile, totalOf, type WrittenFiles } from '../place/written-files.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS, type ProgressListener } from '../tree/progress.ts';
import { fetchBundles } from './bundles.ts';
import { DamagedPartialError, type DownloadParts, download } from './download.ts';
import { IncrementalDigests } from './incremental-digests.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import { PULL_RETRY, retryTransfer } from './receive.ts';

const CONCURRENCY = 16;

export interface FetchOptions {
  /** Caches downloaded files for other pulls on this machine; null disables caching. */
  objects: ObjectCache | null;
  retry?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Downloads files and moves each into place as soon as it is verified. The first failure stops all of them. */
export async function fetchFiles(
  client: Client,
  folder: GuardedFolder,
  files: readonly TargetFile[],
  missing: ReadonlySet<TargetFile>,
  urls: PresignedUrls,
  written: WrittenFiles,
  { objects, signal, progress = NO_PROGRESS, retry = PULL_RETRY }: FetchOptions,
): Promise<void> {
  const partials = new PartialFiles(folder);
  const buffers = new ContentBufferPool();
  const { small = [], large = [] } = Object.groupBy(files, ({ size }) =>
    size <= MAX_IN_MEMORY ? 'small' : 'large',
  );
  const digests = new IncrementalDigests(totalOf(large).bytes);
  const placement = Placement.open(small, { folder, partials, cache: objects });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Pulling', { bytes, items: files.length, unit: 'files' });
  const onPlaced = (file: TargetFile, identity: FileIdentity) => {
    recordWritten(written, file, identity, missing);
    work.advance({ items: 1 });
  };
  try {
    const place = (contents: readonly ArrivedContent[], memory: ContentBuffer) =>
      placement.place(contents, memory, (file, identity) => {
        onPlaced(file, identity);
        work.advance({ bytes: file.size });
      });
    const single = await fetchBundles(files, { client, urls, signal, buffers, place });
    const parts = { folder, partials, buffers, digests, placement, cache: objects, onPlaced };
    await forEachBounded(single, { concurrency: CONCURRENCY, signal }, async (file, fileSignal) => {
      const onBytes = (more: number) => work.advance({ bytes: more });
      const fetchOne = () => fetchFile(client, parts, file, urls, retry, fileSignal, onBytes);
      await fetchOne().catch((error: unknown) => {
        if (error instanceof DamagedPartialError) return fetchOne();
        // Writing to an open file does not say which.
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
          Object.assign(error, { path: join(folder.root, file.path) });
        throw error;
      });
    });
    work.finish();
  } finally {
    await Promise.all([placement.close(), digests.close()]);
    work.stop();
  }
}

function fetchFile(
  client: Client,
  parts: Omit<DownloadParts, 'signal' | 'onBytes' | 'withRetries'>,
  file: TargetFile,
  urls: PresignedUrls,
  retry: RetryPolicy,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let received = 0;
  return download(file, {
    ...parts,
    signal,
    onBytes: (bytes) => {
      received += bytes;
      onBytes(bytes);
    },
    withRetries: (_, attempt) =>
      retryTransfer(file, attempt, { client, urls, retry, signal, received: () => received }),
  });
}
