import { join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { Client } from '../client/client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { isSystemError } from '../failures.ts';
import {
  type ArrivedContent,
  type ContentBuffer,
  ContentBufferPool,
  MAX_IN_MEMORY,
  Placement,
} from '../place/placement.ts';
import type { Placer } from '../place/placer.ts';
import { type TargetFile, totalOf } from '../place/written-files.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import { fetchBundles } from './bundles.ts';
import { DamagedPartialError, type DownloadParts, download } from './download.ts';
import { IncrementalDigests } from './incremental-digests.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import { PULL_RETRY, retryTransfer } from './receive.ts';

const CONCURRENCY = 16;

export interface FetchOptions {
  /** For exchanges that are interrupted. */
  retry?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Downloads files and moves each into place as soon as it is verified. The first failure stops all of them. */
export async function fetchFiles(
  client: Client,
  urls: PresignedUrls,
  files: readonly TargetFile[],
  placer: Placer,
  { signal, progress, retry = PULL_RETRY }: FetchOptions,
): Promise<void> {
  const buffers = new ContentBufferPool();
  const { small = [], large = [] } = Object.groupBy(files, ({ size }) =>
    size <= MAX_IN_MEMORY ? 'small' : 'large',
  );
  const digests = new IncrementalDigests(totalOf(large).bytes);
  const placement = Placement.open(small, placer);
  try {
    await withProgress(progress, 'Pulling', fileTotal(files), async (work) => {
      const place = (contents: readonly ArrivedContent[], memory: ContentBuffer) =>
        placement.place(contents, memory, (file, identity) => {
          placer.record(file, identity);
          work.advance({ items: 1, bytes: file.size });
        });
      const single = await fetchBundles(files, { client, urls, signal, buffers, place });
      const onBytes = (bytes: number) => work.advance({ bytes });
      await forEachBounded(single, { concurrency: CONCURRENCY, signal }, async (file, fileSignal) => {
        const parts = { placer, placement, buffers, digests, onBytes, signal: fileSignal };
        const fetchOne = () => fetchFile(client, urls, file, parts, retry);
        await fetchOne().catch((error: unknown) => {
          if (error instanceof DamagedPartialError) return fetchOne();
          // Writing to an open file does not say which.
          if (isSystemError(error, 'ENOSPC'))
            Object.assign(error, { path: join(placer.folder.root, file.path) });
          throw error;
        });
        work.advance({ items: 1 });
      });
    });
  } finally {
    await Promise.all([placement.close(), digests.close()]);
  }
}

function fetchFile(
  client: Client,
  urls: PresignedUrls,
  file: TargetFile,
  parts: Omit<DownloadParts, 'withRetries'> & { signal: AbortSignal },
  retry: RetryPolicy,
): Promise<void> {
  let received = 0;
  const { signal } = parts;
  return download(file, {
    ...parts,
    onBytes: (bytes) => {
      received += bytes;
      parts.onBytes(bytes);
    },
    withRetries: (attempt) =>
      retryTransfer(file, attempt, { client, urls, retry, signal, received: () => received }),
  });
}
