import { forEachBounded } from '@bindery/concurrency/for-each';
import { BUNDLE } from '@bindery/contract/wire';
import { inBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import { isSlow } from '../client/retry.ts';
import { BundleReader } from './bundle-reader.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { WantedFile } from './wanted.ts';

const AT_ONCE = 6;

export interface BundleOptions {
  client: Client;
  urls: PresignedUrls;
  signal?: AbortSignal | undefined;
  /** Verifies the content of a file and puts it in place; false where it is not what was wanted. */
  place(file: WantedFile, content: Buffer): boolean;
}

/**
 * Fetches small files many at a time, where the store of objects belongs to the service and knows bundles. Answers the
 * files that are still to be fetched, each alone: the large ones, and what bundles did not bring, for whatever reason.
 * A bundle that brings nothing, or stands still, is the last one.
 */
export async function fetchBundles(
  files: readonly WantedFile[],
  options: BundleOptions,
): Promise<WantedFile[]> {
  const remaining = new Set(files);
  let worthwhile = true;
  await forEachBounded(
    inBundles(files),
    { concurrency: AT_ONCE, signal: options.signal },
    async (bundle, signal) => {
      if (!worthwhile) return;
      const { brought, stoodStill } = await fetchBundle(bundle, { ...options, signal });
      for (const file of brought) remaining.delete(file);
      worthwhile &&= brought.length > 0 && !stoodStill;
    },
  );
  return [...remaining];
}

/** Answers the files that arrived and are in place. Throws what `place` throws, and what addresses cannot be had for. */
async function fetchBundle(
  files: readonly WantedFile[],
  { client, urls, signal, place }: BundleOptions,
): Promise<{ brought: WantedFile[]; stoodStill: boolean }> {
  const addresses = await Promise.all(files.map((file) => urls.url(file)));
  const body = requestBody(new URL(client.baseUrl).origin, addresses);
  if (body === null) return { brought: [], stoodStill: false };
  const brought: WantedFile[] = [];
  let failure: { error: unknown } | null = null;
  const reader = new BundleReader(files, (file, content) => {
    try {
      if (place(file, content)) brought.push(file);
    } catch (error) {
      failure = { error };
      throw error;
    }
  });
  const sink = { onHead() {}, onBytes: (bytes: Buffer) => reader.read(bytes) };
  const headers = { 'content-type': 'text/plain' };
  const request = { method: 'POST', url: BUNDLE.path, headers, body, ...(signal ? { signal } : {}) };
  try {
    await client.deliver(request, sink);
    return { brought, stoodStill: false };
  } catch (error) {
    signal?.throwIfAborted();
    if (failure !== null) throw (failure as { error: unknown }).error;
    return { brought, stoodStill: isSlow(error) };
  }
}

/** The addresses from the path on, one in a line; null where one of them is not of this service's own store. */
function requestBody(origin: string, urls: readonly string[]): string | null {
  const paths = urls.map((url) => pathInStore(origin, url));
  const body = paths.join('\n');
  return paths.includes(null) || body.length > BUNDLE.requestBytes ? null : body;
}
