import { forEachBounded } from '@bindery/concurrency/for-each';
import type { Manifest, ManifestFile, Transfer, Visibility } from '@bindery/contract';
import { BUNDLE, LIMITS, MANIFEST_PATH, routes } from '@bindery/contract/wire';
import { groupIntoBundles, pathInStore } from '../client/bundles.ts';
import type { LibraryClient } from '../client/call.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../client/retry.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { writeManifest } from '../library/manifest.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import type { ComposedNext } from './changes.ts';
import { sendUpload, type Upload, type UploadOptions } from './send-upload.ts';

const CONCURRENCY = 12;

/** How many batches are authorized before they are needed, so that a distant service always has something to receive. */
const AUTHORIZED_AHEAD = 2;

/** Bytes the service is asked to read in one request, unless a file is larger. It is asked again while it reads. */
const MAX_VERIFIED = 1024 * 1024 * 1024;
const VERIFY_RETRY: RetryPolicy = { ...DEFAULT_RETRY, attempts: 10_000 };

/** One revision to publish. */
export interface Publication {
  manifest: Manifest;
  /** How the service makes the manifest of the current one; null: it is sent. */
  composed: ComposedNext | null;
  /** User files to send. */
  files: readonly UploadSource[];
  /** Platform artifacts to send. */
  artifacts: readonly UploadSource[];
  /** Platform artifacts of the previous revision that stay unchanged. */
  keptArtifacts: readonly ManifestFile[];
  /** The revision that this one follows; 0 for the first. */
  expectedRevision: number;
  visibility?: Visibility | undefined;
  /** Have the service read its copies of these files, and send what it has lost. */
  verify?: boolean | undefined;
}

export interface TransferOptions {
  /** The files are for a proposal. */
  proposes?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Uploads what a revision, whose manifest is valid, consists of. Returns what the service did not have. */
export async function uploadRevision(
  client: LibraryClient,
  address: LibraryAddress,
  { manifest, composed, files, artifacts, verify }: Publication,
  { signal, progress, proposes }: TransferOptions,
): Promise<UploadSource[]> {
  const sources = [...files, ...artifacts, ...(composed === null ? [manifestSource(manifest)] : [])];
  return withProgress(progress, 'Uploading', fileTotal(sources), (work) =>
    uploadAll(client, address, sources, { signal, verify, proposes, onProgress: work.advance.bind(work) }),
  );
}

export function manifestSource(manifest: Manifest): UploadSource {
  return bytesSource(MANIFEST_PATH, writeManifest(manifest));
}

/**
 * Uploads what the library does not have yet. Can be interrupted at any point: the next call sends only what is still
 * missing, including parts of large files. Returns what was not there. Throws `TreeError` if a file has changed.
 */
async function uploadAll(
  client: LibraryClient,
  address: LibraryAddress,
  sources: readonly UploadSource[],
  options: UploadAllOptions,
): Promise<UploadSource[]> {
  const bundled = new BundleUploader(client, sources.length);
  const uploads = authorizeInBatches(client, address, sources, options);
  const sent: UploadSource[] = [];
  await forEachBounded(
    groupUploads(uploads, bundled),
    { concurrency: CONCURRENCY, signal: options.signal },
    async (shipment, signal) => {
      sent.push(
        ...shipment.filter(({ transfer }) => transfer.kind !== 'present').map(({ source }) => source),
      );
      if (shipment.length > 1 && (await bundled.send(shipment, signal))) {
        for (const { source } of shipment) options.onProgress({ bytes: source.size, items: 1 });
        return;
      }
      for (const { source, transfer } of shipment) {
        const reauthorize = async () =>
          (await authorize(client, address, [source], { signal, proposes: options.proposes }))[0];
        await sendUpload(client, address, { source, transfer }, { ...options, signal, reauthorize });
        options.onProgress({ items: 1 });
      }
    },
  );
  return sent;
}

export interface UploadAllOptions extends UploadOptions {
  /** Have the service read its copies, and send what it has lost. */
  verify?: boolean | undefined;
  proposes?: boolean | undefined;
}

/** Divides uploads into those that share an exchange. Large files take more than one. */
async function* groupUploads(
  batches: AsyncIterable<Upload[]>,
  bundled: BundleUploader,
): AsyncGenerator<Upload[]> {
  for await (const batch of batches) yield* bundled.divide(batch);
}

/** Asks how files are to be sent, for the next batches while the current one is sent. */
async function* authorizeInBatches(
  client: LibraryClient,
  address: LibraryAddress,
  sources: readonly UploadSource[],
  options: AuthorizeOptions,
): AsyncGenerator<Upload[]> {
  const batches = splitIntoBatches(sources, options.verify ? MAX_VERIFIED : LIMITS.uploadBatch.bytes);
  const ask = (at: number) => {
    const answer = authorize(client, address, batches[at] ?? [], options);
    // A response that arrives early must not count as unhandled if the current batch fails.
    answer.catch(() => undefined);
    return answer;
  };
  const asked: Promise<Transfer[]>[] = [];
  for (const [at, batch] of batches.entries()) {
    while (asked.length < Math.min(at + 1 + AUTHORIZED_AHEAD, batches.length)) asked.push(ask(asked.length));
    const transfers = (await asked[at]) ?? [];
    yield batch.flatMap((source, index) => {
      const transfer = transfers[index];
      return transfer === undefined ? [] : [{ source, transfer }];
    });
  }
}

/** Divides files into as few requests as the limits allow. */
function splitIntoBatches(sources: readonly UploadSource[], maxBytes: number): UploadSource[][] {
  const batches: UploadSource[][] = [];
  let batch: UploadSource[] = [];
  let bytes = 0;
  for (const source of sources) {
    const full = batch.length === LIMITS.uploadBatch.files || bytes + source.size > maxBytes;
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

/** Which route authorizes uploads. */
const authorization = (proposes = false) =>
  proposes ? routes.proposals.authorizeProposedUploads : routes.uploads.authorizeUploads;

/** Throws what the first upload would throw, so that nothing is made for a library that this user cannot write to. */
export async function requireWriteAccess(
  client: LibraryClient,
  address: LibraryAddress,
  { signal, proposes }: Pick<TransferOptions, 'signal' | 'proposes'>,
): Promise<void> {
  await client.call(authorization(proposes), {
    params: libraryParams(address),
    body: { files: [{ relativePath: MANIFEST_PATH, size: 0 }] },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
}

type AuthorizeOptions = Pick<UploadAllOptions, 'signal' | 'verify' | 'proposes'>;

async function authorize(
  client: LibraryClient,
  address: LibraryAddress,
  batch: readonly UploadSource[],
  { signal, verify, proposes }: AuthorizeOptions,
): Promise<Transfer[]> {
  const { files } = await client.call(authorization(proposes), {
    params: libraryParams(address),
    body: {
      files: batch.map(({ path, size, sha256 }) => ({ relativePath: path, size, sha256 })),
      ...(verify ? { verify } : {}),
    },
    idempotent: true,
    ...(verify ? { retry: VERIFY_RETRY } : {}),
    ...(signal ? { signal } : {}),
  });
  return files.map(({ transfer }) => transfer);
}

const LENGTH_BYTES = 4;
/** URLs are ASCII. */
const ENCODER = new TextEncoder();

/**
 * Sends small files in bundles, if the object store belongs to the service and supports them. Files that might not have
 * arrived have to be sent one by one, which reports the error. After a bundle fails, no further one is sent.
 */
class BundleUploader {
  readonly #client: LibraryClient;
  readonly #origin: string;
  readonly #filesOfTransfer: number;
  /** Bodies of bundles that were sent, for reuse: allocating many would keep the garbage collector busy. */
  readonly #spare: ArrayBuffer[] = [];
  #worthwhile = true;

  constructor(client: LibraryClient, filesOfTransfer: number) {
    this.#client = client;
    this.#filesOfTransfer = filesOfTransfer;
    this.#origin = new URL(client.baseUrl).origin;
  }

  /** Divides uploads into bundles and those that are sent one by one. */
  divide(uploads: readonly Upload[]): Upload[][] {
    const small = uploads.flatMap((upload) =>
      this.#addressOf(upload) === null ? [] : [{ size: upload.source.size, upload }],
    );
    const together = groupIntoBundles(small, this.#filesOfTransfer).map((bundle) =>
      bundle.map(({ upload }) => upload),
    );
    const bundled = new Set(together.flat());
    return [...together, ...uploads.filter((upload) => !bundled.has(upload)).map((upload) => [upload])];
  }

  /** Sends uploads in a bundle; false if they have to be sent one by one. */
  async send(uploads: readonly Upload[], signal: AbortSignal): Promise<boolean> {
    if (!this.#worthwhile) return false;
    try {
      const body = this.#fill(uploads);
      const headers = { 'content-type': 'application/octet-stream' };
      await this.#client.put({ url: BUNDLE.path, headers, body, size: body.byteLength, signal });
      this.#spare.push(body.buffer);
      return true;
    } catch {
      signal.throwIfAborted();
      this.#worthwhile = false;
      return false;
    }
  }

  #addressOf({ transfer }: Upload): string | null {
    return transfer.kind === 'single-put' ? pathInStore(this.#origin, transfer.put.url) : null;
  }

  #fill(uploads: readonly Upload[]): Uint8Array<ArrayBuffer> {
    const frames = uploads.map((upload) => ({ address: this.#addressOf(upload) ?? '', ...upload }));
    const length = frames.reduce(
      (sum, { address, source }) => sum + LENGTH_BYTES + address.length + source.size,
      0,
    );
    const body = this.#emptyBody(length);
    const lengths = new DataView(body.buffer, body.byteOffset);
    let end = 0;
    for (const { address, source } of frames) {
      lengths.setUint32(end, address.length);
      end += LENGTH_BYTES;
      end += ENCODER.encodeInto(address, body.subarray(end)).written;
      const content = body.subarray(end, end + source.size);
      if (source.read(content) < source.size)
        throw new Error(`${source.path} became shorter while it was being pushed`);
      end += source.size;
    }
    return body;
  }

  #emptyBody(length: number): Uint8Array<ArrayBuffer> {
    const spare = this.#spare.pop();
    return spare && spare.byteLength >= length ? new Uint8Array(spare, 0, length) : new Uint8Array(length);
  }
}
