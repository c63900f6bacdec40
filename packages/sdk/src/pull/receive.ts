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
 * `IntegrityError` for more, or for fewer in a response that claims to be complete, and the client's errors for
 * failures in transit.
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
  if (received < file.size) throw new IntegrityError(`${file.path} is shorter than its manifest says`);
}

function otherRange(client: Client, url: string, { path }: TargetFile): UnexpectedResponseError {
  const { origin } = new URL(client.resolve(url));
  return new UnexpectedResponseError(origin, `${origin} sent a different range of ${path} than requested.`);
}

function rangeStart(header: string | undefined): number {
  const start = /^bytes (\d+)-/.exec(header ?? '')?.[1];
  return start === undefined ? Number.NaN : Number(start);
}
