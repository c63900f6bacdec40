import { forEachBounded } from '@bindery/concurrency';
import { LIMITS, MANIFEST_PATH, routes, type Transfer, type UploadPart } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from '../client/retry.ts';
import type { AnswerSink } from '../client/transport.ts';
import { TreeError } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/address.ts';
import { BundledUploads, type Upload } from './upload-bundles.ts';
import type { UploadSource } from './upload-source.ts';

const AT_ONCE = 6;
const PARTS_AT_ONCE = 4;
const RETRY: RetryPolicy = { ...DEFAULT_RETRY, attempts: 6 };

export interface UploadOptions {
  signal?: AbortSignal | undefined;
  /** Called as bytes arrive at the store, and for those that it held already. */
  onProgress(step: { bytes?: number; items?: number }): void;
}

/**
 * Sends what the library does not hold yet. May be interrupted at any point: the next call sends only what is missing
 * then, parts of large files included. Throws `TreeError` for a file that is no longer what it was.
 */
export async function uploadAll(
  client: Client,
  address: LibraryAddress,
  sources: readonly UploadSource[],
  options: UploadOptions,
): Promise<void> {
  const bundled = new BundledUploads(client);
  const uploads = authorized(client, address, sources, options.signal);
  await forEachBounded(
    shipments(uploads, bundled),
    { concurrency: AT_ONCE, signal: options.signal },
    async (shipment, signal) => {
      if (shipment.length > 1 && (await bundled.send(shipment, signal))) {
        for (const { source } of shipment) options.onProgress({ bytes: source.size, items: 1 });
        return;
      }
      for (const { source, transfer } of shipment) {
        await send(client, address, source, transfer, { ...options, signal });
        options.onProgress({ items: 1 });
      }
    },
  );
}

/** What goes in one exchange each, large files aside. */
async function* shipments(
  batches: AsyncIterable<Upload[]>,
  bundled: BundledUploads,
): AsyncGenerator<Upload[]> {
  for await (const batch of batches) yield* bundled.divide(batch);
}

/** Asks how files are to be sent, for one batch while the one before is sent. */
async function* authorized(
  client: Client,
  address: LibraryAddress,
  sources: readonly UploadSource[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Upload[]> {
  const batches = divide(sources);
  const ask = (at: number) => {
    const answer = authorize(client, address, batches[at] ?? [], signal);
    // An answer that comes too early must not count as unhandled when the batch before fails.
    answer.catch(() => undefined);
    return answer;
  };
  let next = batches.length > 0 ? ask(0) : null;
  for (const [at, batch] of batches.entries()) {
    const transfers = (await next) ?? [];
    next = at + 1 < batches.length ? ask(at + 1) : null;
    yield batch.flatMap((source, index) => {
      const transfer = transfers[index];
      return transfer === undefined ? [] : [{ source, transfer }];
    });
  }
}

/** As few requests as the limits allow. */
function divide(sources: readonly UploadSource[]): UploadSource[][] {
  const batches: UploadSource[][] = [];
  let batch: UploadSource[] = [];
  let bytes = 0;
  for (const source of sources) {
    const full = batch.length === LIMITS.uploadBatch.files || bytes + source.size > LIMITS.uploadBatch.bytes;
    if (full && batch.length > 0) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(source);
    bytes += source.size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Throws what the first upload would, so that nothing is made for a library that takes nothing from this person. */
export async function requireWriting(
  client: Client,
  address: LibraryAddress,
  signal: AbortSignal | undefined,
): Promise<void> {
  await client.call(routes.uploads.authorizeUploads, {
    params: libraryParams(address),
    body: { files: [{ relativePath: MANIFEST_PATH, size: 0 }] },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
}

async function authorize(
  client: Client,
  address: LibraryAddress,
  batch: readonly UploadSource[],
  signal: AbortSignal | undefined,
): Promise<Transfer[]> {
  const { files } = await client.call(routes.uploads.authorizeUploads, {
    params: libraryParams(address),
    body: { files: batch.map(({ path, size, sha256 }) => ({ relativePath: path, size, sha256 })) },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
  return files.map(({ transfer }) => transfer);
}

async function send(
  client: Client,
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
  client: Client,
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
  try {
    await client.call(routes.uploads.completeUpload, {
      params: { ...libraryParams(address), uploadId: transfer.uploadId },
      body: { parts: sent.sort((a, b) => a.partNumber - b.partNumber) },
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (error) {
    throw changedOr(error, source);
  }
}

const IGNORED: AnswerSink = { onHead() {}, onBytes() {} };

/** Sends a range of a file and answers the store's tag of it. */
async function put(
  client: Client,
  source: UploadSource,
  start: number,
  end: number,
  { url, headers }: Pick<UploadPart, 'url' | 'headers'>,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  return withRetry(
    async () => {
      const body = source.open(start, end);
      try {
        const answer = await client.deliver(
          {
            method: 'PUT',
            url,
            headers: { ...headers, 'content-length': String(end - start) },
            body,
            ...(signal ? { signal } : {}),
          },
          IGNORED,
        );
        onProgress({ bytes: end - start });
        return answer.etag ?? '';
      } catch (error) {
        throw changedOr(error, source);
      } finally {
        if (!Buffer.isBuffer(body)) body.destroy();
      }
    },
    { policy: RETRY, idempotent: true, signal },
  );
}

/** The store found other bytes than were announced: the file is not what it was when it was hashed. */
function changedOr(error: unknown, { path }: UploadSource): unknown {
  const changed =
    (error instanceof ApiError && error.code === 'upload_mismatch') ||
    (error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'));
  return changed
    ? new TreeError(`${path} changed while it was pushed; push again when nothing writes it`)
    : error;
}
