import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { ApiError, nameTransferredFile, UnexpectedResponseError } from '../client/errors.ts';
import { isSlow, keptMinimumRate, MAX_SLOW, type RetryPolicy, retryable } from '../client/retry.ts';
import { IntegrityError } from '../failures.ts';
import type { TargetFile } from '../place/written-files.ts';
import type { PresignedUrls } from './presigned-urls.ts';

export interface ReceiveOptions {
  client: Client;
  url: string;
  file: TargetFile;
  /** Offset of the first byte to receive. */
  from: number;
  signal?: AbortSignal | undefined;
  /** Called before the first bytes with their actual offset: `from`, or 0 if the store ignores ranges. */
  onStart(at: number): void;
  onBytes(bytes: Buffer): void;
}

export type Exchange = Pick<ReceiveOptions, 'client' | 'url' | 'signal'>;

/**
 * Downloads a file from a presigned URL, from byte `from` on. Resolves once all bytes have arrived. Throws
 * `IntegrityError` for more, `UnexpectedResponseError` for fewer in a response that claims to be complete or for a page
 * in place of the file, and the client's errors for failures in transit.
 */
export async function receive({
  client,
  url,
  file,
  from,
  signal,
  onStart,
  onBytes,
}: ReceiveOptions): Promise<void> {
  let received = 0;
  await client.downloadTo(
    {
      url,
      ...(from > 0 ? { headers: { range: `bytes=${from}-`, 'if-range': `"${file.sha256}"` } } : {}),
      ...(signal ? { signal } : {}),
    },
    {
      onHead(status, headers) {
        if (isPage(headers, file.size - (status === 206 ? from : 0))) throw pageInPlace(client, url, file);
        received = status === 206 ? rangeStart(headers['content-range']) : 0;
        if (received !== 0 && received !== from) throw otherRange(client, url, file);
        onStart(received);
      },
      onBytes(bytes) {
        received += bytes.length;
        if (received > file.size) throw new IntegrityError(`${file.path} is longer than its manifest says.`);
        onBytes(bytes);
      },
    },
  );
  if (received < file.size) throw cutShort(client, url, file, received);
}

/** Whether a response is another HTML page than the expected bytes, as a captive portal or a proxy sends it. */
function isPage(headers: Readonly<Record<string, string>>, expected: number): boolean {
  return (
    /^text\/html\b/.test(headers['content-type'] ?? '') && headers['content-length'] !== String(expected)
  );
}

function pageInPlace(client: Client, url: string, { path }: TargetFile): UnexpectedResponseError {
  const { origin } = new URL(client.resolve(url));
  const message = `${origin} sent a web page in place of ${path}: a proxy or the sign-in page of a network may be in between.`;
  return new UnexpectedResponseError(origin, message, { isTransient: true });
}

function cutShort(
  client: Client,
  url: string,
  { path, size }: TargetFile,
  received: number,
): UnexpectedResponseError {
  const { origin } = new URL(client.resolve(url));
  const message = `${origin} sent ${received} of the ${size} bytes of ${path} as if they were all: a proxy may have cut it short.`;
  return new UnexpectedResponseError(origin, message, { isTransient: true });
}

function otherRange(client: Client, url: string, { path }: TargetFile): UnexpectedResponseError {
  const { origin } = new URL(client.resolve(url));
  return new UnexpectedResponseError(origin, `${origin} sent a different range of ${path} than requested.`);
}

function rangeStart(header: string | undefined): number {
  const start = /^bytes (\d+)-/.exec(header ?? '')?.[1];
  return start === undefined ? Number.NaN : Number(start);
}

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
  return new IntegrityError(`The service has lost ${path}.`, { code: 'content_lost', details: { path } });
}

/** Whether the store refuses the URL: it has expired, or what it pointed to has been moved or deleted. */
function isUrlRejected(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 410].includes(error.status);
}
