import { forEachBounded } from '@bindery/concurrency';
import { nextTurn, turnIsOver } from '../../../process/turns.ts';
import type { Contents } from '../../../revision/file-closure.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';

const HASH_BYTES = 32;
const CONCURRENCY = 16;
/** Up to this many objects are looked up one by one; a list returns a thousand at a time. */
const ASKED_ALONE = 200;
const LISTS_AT_ONCE = 4;

/** Returns the positions of contents that a store does not have with exactly these sizes. */
export async function absentContents(
  { bucket, keys }: { bucket: Bucket; keys: Keys },
  storeId: string,
  contents: Contents,
): Promise<number[]> {
  const absent: number[] = [];
  const places = contents.sizes.keys();
  if (contents.sizes.length <= ASKED_ALONE) {
    await forEachBounded(places, { concurrency: CONCURRENCY }, async (place) => {
      const size = await bucket.size(keys.object({ storeId, sha256: hashAt(contents, place) }));
      if (size !== contents.sizes[place]) absent.push(place);
    });
  } else {
    const byDigit = Array.from({ length: 16 }, () => [] as number[]);
    for (const place of places) {
      byDigit[(contents.hashes[place * HASH_BYTES] ?? 0) >> 4]?.push(place);
      if (turnIsOver()) await nextTurn();
    }
    await forEachBounded(byDigit.entries(), { concurrency: LISTS_AT_ONCE }, async ([digit, wanted]) => {
      if (wanted.length === 0) return;
      const prefix = keys.objects(storeId) + digit.toString(16);
      for (const place of await notListed(bucket, prefix, contents, wanted)) absent.push(place);
    });
  }
  return absent.sort((a, b) => a - b);
}

async function notListed(
  bucket: Bucket,
  prefix: string,
  contents: Contents,
  wanted: readonly number[],
): Promise<number[]> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of bucket.list(prefix)) sizes.set(key.slice(prefix.length - 1), size);
  const absent: number[] = [];
  for (const place of wanted) {
    if (sizes.get(hashAt(contents, place)) !== contents.sizes[place]) absent.push(place);
    if (turnIsOver()) await nextTurn();
  }
  return absent;
}

function hashAt({ hashes }: Contents, place: number): string {
  return Buffer.from(hashes.buffer, hashes.byteOffset + place * HASH_BYTES, HASH_BYTES).toString('hex');
}
