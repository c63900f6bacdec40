import { forEachBounded } from '@bindery/concurrency/for-each';
import type { Transfer, UploadPart } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ApiError, NetworkError, nameTransferredFile } from '../client/errors.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from '../client/retry.ts';
import { IntegrityError, TreeError } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import type { UploadSource } from '../tree/upload-source.ts';

const PARTS_AT_ONCE = 4;
const RETRY: RetryPolicy = { ...DEFAULT_RETRY, attempts: 6 };

/**
 * The service, or a bucket (whose responses have no code of ours), no longer accepts the request: the upload is gone,
 * or the signature has expired.
 */
const REAUTHORIZE_CODES: ReadonlySet<string> = new Set(['upload_not_found', 'url_expired', 'http_403']);

/** How often a whole file is sent if it arrives with other bytes or its upload is gone. */
const ATTEMPTS = 3;

export interface UploadOptions {
  signal?: AbortSignal | undefined;
  /** Called as bytes arrive at the store, and for those it already had. Bytes to be sent again count as negative. */
  onProgress(step: { bytes?: number; items?: number }): void;
}

/** A file and how it is to be sent. */
export interface Upload {
  source: UploadSource;
  transfer: Transfer;
}

interface SendOptions extends UploadOptions {
  /** Asks again how the file is to be sent. */
  reauthorize(): Promise<Transfer | undefined>;
}

/**
 * Sends one file. If other bytes arrive although the file is unchanged, they were changed in transit and the file is
 * sent again; so is a file whose upload another push has completed or aborted, or whose URL has expired. Throws
 * `TreeError` if the file has changed, `IntegrityError` if it does not get through.
 */
export async function sendUpload(
  client: LibraryClient,
  address: LibraryAddress,
  { source, transfer }: Upload,
  options: SendOptions,
): Promise<void> {
  let next: Transfer | undefined = transfer;
  for (let attempt = 1; next; attempt++) {
    let counted = 0;
    const onProgress: UploadOptions['onProgress'] = (step) => {
      counted += step.bytes ?? 0;
      options.onProgress(step);
    };
    try {
      return await transferBytes(client, address, source, next, { ...options, onProgress });
    } catch (error) {
      await requireRetryable(error, source, attempt);
      options.onProgress({ bytes: -counted });
    }
    next = await options.reauthorize();
  }
}

async function requireRetryable(error: unknown, source: UploadSource, attempt: number): Promise<void> {
  const code = error instanceof ApiError ? error.code : null;
  if (code !== null && REAUTHORIZE_CODES.has(code) && attempt < ATTEMPTS) return;
  if (code !== 'upload_mismatch') throw nameTransferredFile(error, source.path);
  if (!(await source.isUnchanged())) throw sourceChangedError(source);
  if (attempt === ATTEMPTS) throw corruptedInTransitError(source);
}

/** Names of a browser's errors for a file that is gone, or not the one that was picked. */
const UNREADABLE: ReadonlySet<string> = new Set(['NotReadableError', 'NotFoundError']);
const HAS_CHANGED: ReadonlySet<string> = new Set(['ENOENT', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

function isSourceChangedError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (UNREADABLE.has(error.name)) return true;
  const code = error instanceof NetworkError ? error.reason : 'code' in error ? error.code : null;
  return HAS_CHANGED.has(String(code));
}

function sourceChangedError({ path }: UploadSource): TreeError {
  return new TreeError(
    `${path} changed while it was being pushed; push again when nothing is writing to it.`,
  );
}

function corruptedInTransitError({ path }: UploadSource): IntegrityError {
  return new IntegrityError(
    `${path} reached the service with different bytes ${ATTEMPTS} times, though the file is unchanged; ` +
      'a proxy, the network or faulty memory on the way changes them.',
  );
}

async function transferBytes(
  client: LibraryClient,
  address: LibraryAddress,
  source: UploadSource,
  transfer: Transfer,
  options: UploadOptions,
): Promise<void> {
  switch (transfer.kind) {
    case 'present':
      return options.onProgress({ bytes: source.size });
    case 'single-put':
      await put(client, source, 0, source.size, transfer.put, options);
      return;
    case 's3-multipart':
      return sendParts(client, address, source, transfer, options);
  }
}

async function sendParts(
  client: LibraryClient,
  address: LibraryAddress,
  source: UploadSource,
  transfer: Extract<Transfer, { kind: 's3-multipart' }>,
  options: UploadOptions,
): Promise<void> {
  const wanted = transfer.parts.reduce((sum, { size }) => sum + size, 0);
  options.onProgress({ bytes: source.size - wanted });
  const sent: { partNumber: number; etag: string }[] = [];
  await forEachBounded(
    transfer.parts,
    { concurrency: PARTS_AT_ONCE, signal: options.signal },
    async (part, signal) => {
      const start = (part.partNumber - 1) * transfer.partSize;
      const etag = await put(client, source, start, start + part.size, part, { ...options, signal });
      sent.push({ partNumber: part.partNumber, etag });
    },
  );
  await client.call(routes.uploads.completeUpload, {
    params: { ...libraryParams(address), uploadId: transfer.uploadId },
    body: { parts: sent.sort((a, b) => a.partNumber - b.partNumber) },
    idempotent: true,
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

/** Sends a range of a file and returns its ETag. */
async function put(
  client: LibraryClient,
  source: UploadSource,
  start: number,
  end: number,
  { url, headers }: Pick<UploadPart, 'url' | 'headers'>,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  return withRetry(
    async () => {
      try {
        const body = source.open(start, end);
        const answer = await client.put({ url, headers, body, size: end - start, signal });
        onProgress({ bytes: end - start });
        return answer.etag ?? '';
      } catch (error) {
        // No other attempt would find the bytes.
        throw isSourceChangedError(error) ? sourceChangedError(source) : error;
      }
    },
    { policy: RETRY, idempotent: true, signal },
  );
}
