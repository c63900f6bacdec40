import { THUMBNAIL_WIDTHS } from '@bindery/contract/limits';
import type { Client } from '@bindery/sdk';

const MAX_BYTES = 256 * 1024;
const CONCURRENCY = 4;

/** Milliseconds for all pictures of a page together, so that hits never wait long for them. */
const TIMEOUT = 5_000;

/**
 * Fetches the smallest thumbnail of each `srcset`, by its index; null if there is none or it did not arrive in time.
 * Throws the reason of `signal`.
 */
export async function fetchThumbnails(
  client: Pick<Client, 'download'>,
  srcsets: readonly (string | null | undefined)[],
  { signal, timeout = TIMEOUT }: { signal: AbortSignal; timeout?: number },
): Promise<(Buffer | null)[]> {
  const fetched: (Buffer | null)[] = srcsets.map(() => null);
  const deadline = AbortSignal.timeout(timeout);
  const waiting = srcsets.entries();
  const work = async () => {
    for (const [at, srcset] of waiting) {
      const url = smallest(srcset);
      if (url === null || deadline.aborted) continue;
      fetched[at] = await client.download({ url, signal: deadline }, MAX_BYTES).catch(() => null);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  signal.throwIfAborted();
  return fetched;
}

function smallest(srcset: string | null | undefined): string | null {
  const width = ` ${THUMBNAIL_WIDTHS[0]}w`;
  const candidate = srcset?.split(', ').find((one) => one.endsWith(width));
  return candidate?.slice(0, -width.length) ?? null;
}
