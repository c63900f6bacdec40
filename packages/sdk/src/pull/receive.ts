import type { Client } from '../client/client.ts';
import { UnexpectedResponseError } from '../client/errors.ts';
import { IntegrityError } from '../failures.ts';
import type { TargetFile } from './select-files.ts';

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
  /** See `ResponseSink`. */
  bufferFor?(most: number): Buffer | undefined;
}

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
  bufferFor,
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
        if (received > file.size) throw new IntegrityError(`${file.path} is longer than its manifest says`);
        onBytes(bytes);
      },
      ...(bufferFor && { bufferFor }),
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
