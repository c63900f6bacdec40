import { ApiError } from '../client/errors.ts';
import { parseApiError } from '../client/parse-api-error.ts';
import { toClientError } from '../client/responses.ts';
import { isSlow, keptMinimumRate, MAX_SLOW, type RetryPolicy, retryable, sleep } from '../client/retry.ts';
import type { Transport, TransportResponse } from '../client/transport.ts';
import { MirrorError } from './mirror-error.ts';
import { objectPath } from './object-path.ts';

export interface HttpMirror {
  /** Without a trailing slash. */
  url: string;
  transport: Transport;
  retry: RetryPolicy;
}

/**
 * Reads an object below a web server's address without verifying it. Resumes where it stopped after transient failures.
 * Throws `MirrorError` and `NetworkError`.
 */
export async function* readHttpObject(
  mirror: HttpMirror,
  { sha256, size }: { sha256: string; size: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { retry } = mirror;
  const path = objectPath(sha256);
  let last = { at: 0, time: performance.now() };
  for (let [at, failures, slow] = [0, 0, 0]; ; ) {
    try {
      for await (const piece of exchange(mirror, path, at, signal)) {
        at += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      // All bytes have arrived; their hash decides.
      if (at === size && at > 0) return;
      const now = { at, time: performance.now() };
      if (keptMinimumRate(now.at - last.at, now.time - last.time)) [failures, slow] = [0, 0];
      last = now;
      failures++;
      if (isSlow(error)) slow++;
      const again = retryable(error, true);
      const pause = again?.after ?? retry.pause * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      const more = again !== null && failures < retry.attempts && slow < MAX_SLOW;
      if (signal?.aborted || !more || pause > retry.maxPause) throw asMirrorError(error, mirror);
      await sleep(pause, signal);
    }
  }
}

/** One exchange, starting at byte `from`. */
async function* exchange(
  { url, transport }: HttpMirror,
  path: string,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { origin } = new URL(url);
  try {
    const answer = await transport.send({
      method: 'GET',
      url: `${url}/${path}`,
      headers: { 'user-agent': 'bindery-sdk', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
      ...(signal ? { signal } : {}),
    });
    // The loop below throws errors; without a listener, one that comes after it would crash the process.
    answer.body.on('error', () => {});
    try {
      let skipped = startOf(answer, url, path, from) === from ? from : 0;
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        const skip = Math.min(from - skipped, piece.length);
        skipped += skip;
        if (skip < piece.length) yield piece.subarray(skip);
      }
    } finally {
      answer.body.destroy();
    }
  } catch (error) {
    throw error instanceof MirrorError ? error : toClientError(error, origin, signal);
  }
}

/** Returns where the body begins: at `from`, or at 0 if the server ignores ranges. Throws unless it is a success. */
function startOf({ status, headers }: TransportResponse, url: string, path: string, from: number): number {
  if (status === 200) return 0;
  if (status === 206) {
    const start = Number(/^bytes (\d{1,15})-/.exec(headers['content-range'] ?? '')?.[1]);
    if (start === from) return start;
    throw new MirrorError(url, `sent a different part of ${path} than requested`);
  }
  if (status === 404 || status === 410) throw new MirrorError(url, `has no ${path}`);
  if (status >= 400) throw parseApiError({ status, headers, text: '', origin: new URL(url).origin });
  throw new MirrorError(
    url,
    `responded with a redirect or without content (status ${status}), which is not followed`,
  );
}

function asMirrorError(error: unknown, { url }: HttpMirror): unknown {
  return error instanceof ApiError ? new MirrorError(url, `responded with status ${error.status}`) : error;
}
