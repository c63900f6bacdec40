import { forEachBounded } from '@bindery/concurrency/for-each';
import { BUNDLE } from '@bindery/contract/wire';
import { groupIntoBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import { isSlow } from '../client/retry.ts';
import type { ArrivedContent, ContentBuffer, ContentBufferPool } from '../place/placement.ts';
import type { TargetFile } from '../place/written-files.ts';
import type { PresignedUrls } from './presigned-urls.ts';

const CONCURRENCY = 6;
/** Milliseconds after which what has arrived of a bundle is placed, in case the process is stopped. */
const PLACED_EVERY = 1_000;

export interface BundleOptions {
  client: Client;
  urls: PresignedUrls;
  signal?: AbortSignal | undefined;
  buffers: ContentBufferPool;
  /** Verifies contents and moves them into place. Returns the files whose content is wrong. */
  place(contents: readonly ArrivedContent[], memory: ContentBuffer): Promise<TargetFile[]>;
}

/**
 * Downloads small files in bundles, if the object store belongs to the service and supports bundles. Returns the files
 * that still have to be downloaded one by one: large ones, and those that bundles did not deliver for whatever reason.
 * After a bundle that delivers nothing or stalls, no further bundle is requested.
 */
export async function fetchBundles(
  files: readonly TargetFile[],
  options: BundleOptions,
): Promise<TargetFile[]> {
  const remaining = new Set(files);
  let worthwhile = true;
  await forEachBounded(
    groupIntoBundles(files),
    { concurrency: CONCURRENCY, signal: options.signal },
    async (bundle, signal) => {
      if (!worthwhile) return;
      const { delivered, stalled } = await fetchBundle(bundle, { ...options, signal });
      for (const file of delivered) remaining.delete(file);
      worthwhile &&= delivered.length > 0 && !stalled;
    },
  );
  return [...remaining];
}

/** Returns the files that are in place. Throws what `place` throws, and what prevented presigning. */
async function fetchBundle(
  files: readonly TargetFile[],
  { client, urls, signal, buffers, place }: BundleOptions,
): Promise<{ delivered: TargetFile[]; stalled: boolean }> {
  const addresses = await Promise.all(files.map((file) => urls.getUrl(file)));
  const body = requestBody(new URL(client.baseUrl).origin, addresses);
  if (body === null) return { delivered: [], stalled: false };
  const headers = { 'content-type': 'text/plain' };
  const request = { method: 'POST', url: BUNDLE.path, headers, body, ...(signal ? { signal } : {}) };
  return buffers.use(async (memory) => {
    const reader = new BundleReader(files, memory);
    let placing: Promise<TargetFile[]> = Promise.resolve([]);
    let [placed, placedAt] = [0, performance.now()];
    const placeArrived = () => {
      const arrived = reader.arrived.slice(placed);
      [placed, placedAt] = [reader.arrived.length, performance.now()];
      placing = placing.then(async (wrong) => [...wrong, ...(await place(arrived, memory))]);
      // It is awaited below, when the bundle has ended.
      placing.catch(() => undefined);
    };
    const sink = {
      onHead() {},
      onBytes(bytes: Buffer) {
        reader.read(bytes);
        if (performance.now() - placedAt > PLACED_EVERY) placeArrived();
      },
    };
    const error: unknown = await client.downloadTo(request, sink).then(
      () => null,
      (failure: unknown) => failure,
    );
    placeArrived();
    const wrong = new Set(await placing);
    signal?.throwIfAborted();
    const delivered = reader.arrived.map(({ file }) => file).filter((file) => !wrong.has(file));
    return { delivered, stalled: isSlow(error) };
  });
}

/** Returns the URLs from the path on, one per line; null if one is not of this service's store or they are too long. */
function requestBody(origin: string, urls: readonly string[]): string | null {
  const paths = urls.map((url) => pathInStore(origin, url));
  const body = paths.join('\n');
  return paths.includes(null) || body.length > BUNDLE.requestBytes ? null : body;
}

/** Thrown for a response that is not a bundle of the requested files. */
class MalformedBundleError extends Error {
  override readonly name = 'MalformedBundleError';
}

/**
 * Splits the response to a bundle request into contents, however its bytes are chunked, and writes them into a memory
 * that has room for all of them. Throws `MalformedBundleError` if a length is not the expected one or if anything
 * follows the last frame, so that it never stores more than expected.
 */
class BundleReader {
  /** The contents that have arrived completely, unverified. */
  readonly arrived: ArrivedContent[] = [];
  readonly #files: readonly TargetFile[];
  readonly #memory: ContentBuffer;
  readonly #head = Buffer.alloc(BUNDLE.headBytes);
  #headFilled = 0;
  /** Index of the current file. */
  #at = 0;
  /** Offset in the memory at which the next bytes are stored. */
  #filled = 0;
  /** Bytes of the current content that are still to come. */
  #left = 0;

  constructor(files: readonly TargetFile[], memory: ContentBuffer) {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > memory.length) throw new RangeError('the files of a bundle are larger than its memory');
    this.#files = files;
    this.#memory = memory;
  }

  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      rest = rest.subarray(this.#left === 0 ? this.#readHead(rest) : this.#readContent(rest));
    }
  }

  #readHead(bytes: Buffer): number {
    const file = this.#files[this.#at];
    if (file === undefined) throw new MalformedBundleError('more was sent than requested');
    const taken = bytes.copy(this.#head, this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled < BUNDLE.headBytes) return taken;
    this.#headFilled = 0;
    const status = this.#head.readUInt32BE(0);
    const length = this.#head.readUInt32BE(4);
    if (length !== (status === 200 ? file.size : 0))
      throw new MalformedBundleError('a file has an unexpected length');
    if (status !== 200) this.#at++;
    else if (length === 0) this.#finish(file);
    else this.#left = length;
    return taken;
  }

  #readContent(bytes: Buffer): number {
    const taken = bytes.copy(this.#memory, this.#filled, 0, this.#left);
    this.#filled += taken;
    this.#left -= taken;
    const file = this.#files[this.#at];
    if (this.#left === 0 && file !== undefined) this.#finish(file);
    return taken;
  }

  #finish(file: TargetFile): void {
    this.arrived.push({ file, at: this.#filled - file.size });
    this.#at++;
  }
}
