import { forEachBounded } from '@bindery/concurrency/for-each';
import { BUNDLE } from '@bindery/contract/wire';
import { groupIntoBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import { isSlow } from '../client/retry.ts';
import { BundleReader } from './bundle-reader.ts';
import type { ContentBuffer, ContentBufferPool } from './content-buffers.ts';
import type { ArrivedContent } from './placement.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { TargetFile } from './select-files.ts';

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
