import { forEachBounded } from '@bindery/concurrency/for-each';
import { BUNDLE } from '@bindery/contract/wire';
import { inBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import { isSlow } from '../client/retry.ts';
import { BundleReader } from './bundle-reader.ts';
import type { ContentMemories, ContentMemory } from './content-memory.ts';
import type { ArrivedContent } from './placement.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { WantedFile } from './wanted.ts';

const AT_ONCE = 6;

export interface BundleOptions {
  client: Client;
  urls: PresignedUrls;
  signal?: AbortSignal | undefined;
  memories: ContentMemories;
  /** Verifies contents and moves them into place. Returns the files whose content is wrong. */
  place(contents: readonly ArrivedContent[], memory: ContentMemory): Promise<WantedFile[]>;
}

/**
 * Downloads small files in bundles, if the object store belongs to the service and supports bundles. Returns the files
 * that still have to be downloaded one by one: large ones, and those that bundles did not deliver for whatever reason.
 * After a bundle that delivers nothing or stalls, no further bundle is requested.
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

/** Returns the files that are in place. Throws what `place` throws, and what prevented presigning. */
async function fetchBundle(
  files: readonly WantedFile[],
  { client, urls, signal, memories, place }: BundleOptions,
): Promise<{ brought: WantedFile[]; stoodStill: boolean }> {
  const addresses = await Promise.all(files.map((file) => urls.url(file)));
  const body = requestBody(new URL(client.baseUrl).origin, addresses);
  if (body === null) return { brought: [], stoodStill: false };
  const headers = { 'content-type': 'text/plain' };
  const request = { method: 'POST', url: BUNDLE.path, headers, body, ...(signal ? { signal } : {}) };
  return memories.use(async (memory) => {
    const reader = new BundleReader(files, memory);
    const sink = { onHead() {}, onBytes: (bytes: Buffer) => reader.read(bytes) };
    const error: unknown = await client.deliver(request, sink).then(
      () => null,
      (failure: unknown) => failure,
    );
    const wrong = new Set(await place(reader.arrived, memory));
    signal?.throwIfAborted();
    const brought = reader.arrived.map(({ file }) => file).filter((file) => !wrong.has(file));
    return { brought, stoodStill: isSlow(error) };
  });
}

/** Returns the URLs from the path on, one per line; null if one is not of this service's store or they are too long. */
function requestBody(origin: string, urls: readonly string[]): string | null {
  const paths = urls.map((url) => pathInStore(origin, url));
  const body = paths.join('\n');
  return paths.includes(null) || body.length > BUNDLE.requestBytes ? null : body;
}
