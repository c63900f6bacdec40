import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstAfter } from '../../src/objects/health/scrub.ts';

/** Hashes of which many begin alike. */
const hashes = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom('000', '0a0', '0a1', '7ff', 'fff'), fc.integer({ min: 0, max: 999 }))
    .map(([prefix, number]) => prefix + String(number).padStart(61, '0')),
  { maxLength: 80 },
);

async function* listed(sha256s: readonly string[]) {
  for (const sha256 of sha256s) yield { sha256, size: 1, storedAt: 0 };
}

test('a scrub reads every object of a store once, in the order of hashes, whatever its batch size', async () => {
  await fc.assert(
    fc.asyncProperty(hashes, fc.integer({ min: 1, max: 20 }), async (stored, most) => {
      const read: string[] = [];
      for (;;) {
        const next = await firstAfter(listed(stored), read.at(-1) ?? '', most);
        if (next.length === 0) break;
        read.push(...next.map(({ sha256 }) => sha256));
      }
      expect(read).toEqual(stored.toSorted());
    }),
  );
});
