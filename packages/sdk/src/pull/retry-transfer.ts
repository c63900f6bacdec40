import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { ApiError, nameTransferredFile } from '../client/errors.ts';
import { isSlow, keptMinimumRate, MAX_SLOW, type RetryPolicy, retryable } from '../client/retry.ts';
import { IntegrityError } from '../failures.ts';
import type { Exchange } from './download.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { TargetFile } from './select-files.ts';

/** Attempts are counted from zero again after an exchange that reached the minimum transfer rate. */
export const PULL_RETRY: RetryPolicy = { attempts: 6, pause: 250, maxPause: 30_000 };

export interface RetryTransferOptions {
  client: Client;
  urls: PresignedUrls;
  retry: RetryPolicy;
  signal?: AbortSignal | undefined;
  /** How many bytes have arrived so far. */
  received(): number;
}

/** Repeats an exchange while it fails for a transient reason, with a new URL if the old one has expired. */
export async function retryTransfer(
  file: TargetFile,
  attempt: (exchange: Exchange) => Promise<void>,
  { client, urls, retry, signal, received }: RetryTransferOptions,
): Promise<void> {
  let [failures, slow] = [0, 0];
  let last = { received: received(), at: performance.now() };
  for (;;) {
    const url = await urls.getUrl(file);
    try {
      return await attempt({ client, url, signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError && error.code === 'content_lost') throw contentLostError(file);
      const now = { received: received(), at: performance.now() };
      if (keptMinimumRate(now.received - last.received, now.at - last.at)) [failures, slow] = [0, 0];
      last = now;
      failures++;
      if (isSlow(error)) slow++;
      const refused = isUrlRejected(error);
      const again = refused ? { after: null } : retryable(error, true);
      if (again === null || failures >= retry.attempts || slow >= MAX_SLOW)
        throw nameTransferredFile(error, file.path);
      if (refused) await urls.invalidate(file, url);
      const pause = again.after ?? retry.pause * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      if (pause > retry.maxPause) throw error;
      await sleep(refused && failures === 1 ? 0 : pause, undefined, signal ? { signal } : {});
    }
  }
}

function contentLostError({ path }: TargetFile): IntegrityError {
  return new IntegrityError(
    `the service has lost ${path}; a push with --verify from a folder that has it restores it`,
  );
}

/** Whether the store refuses the URL: it has expired, or what it pointed to has been moved or deleted. */
function isUrlRejected(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 410].includes(error.status);
}
