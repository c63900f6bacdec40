import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Hits } from '../../src/search/hits.ts';
import { browsePage, rankPage } from '../../src/search/ranking.ts';

const HIGHEST = 6;

/** For each target the keys of its documents, and which of them the filter leaves. */
const anyTargets = fc.array(
  fc.nat(60).chain((length) =>
    fc.record({
      keys: fc.array(fc.nat(HIGHEST), { minLength: length, maxLength: length }),
      filter: fc.option(fc.uint8Array({ minLength: length, maxLength: length, max: 1 })),
    }),
  ),
  { maxLength: 5 },
);
const anyRange = fc.record({ offset: fc.nat(150), limit: fc.integer({ min: 1, max: 40 }) });

type Targets = typeof anyTargets extends fc.Arbitrary<infer Value> ? Value : never;

function hitsOf(targets: Targets): Hits {
  const hits = new Hits(HIGHEST);
  for (const [target, { keys, filter }] of targets.entries())
    hits.add(target, Uint16Array.from(keys), filter);
  return hits;
}

/** Every document that the filters leave, in the order of targets and documents. */
function left(targets: Targets) {
  return targets.flatMap(({ keys, filter }, target) =>
    keys
      .map((key, document) => ({ target, document, key }))
      .filter(({ document }) => filter?.[document] !== 0),
  );
}

test('a page of ranked hits is a slice of all sorted hits except those already taken', async () => {
  await fc.assert(
    fc.asyncProperty(anyTargets, anyRange, fc.func(fc.boolean()), async (targets, range, isTakenOut) => {
      const hits = hitsOf(targets);
      const all = left(targets).filter(({ key }) => key > 0);
      const [out, stay] = [
        all.filter((place) => isTakenOut(place)),
        all.filter((place) => !isTakenOut(place)),
      ];
      for (const { target, document } of out) hits.remove(target, document);
      const sorted = stay.toSorted((a, b) => b.key - a.key);
      const page = sorted.slice(range.offset, range.offset + range.limit);
      expect(await rankPage(hits, range)).toEqual({ total: stay.length, places: page });
      hits.release();
    }),
  );
});

test('taking a document returns its key the first time, then 0, and always 0 if the filter excludes it', () => {
  fc.assert(
    fc.property(anyTargets, (targets) => {
      const hits = hitsOf(targets);
      for (const [target, { keys, filter }] of targets.entries()) {
        for (const [document, key] of keys.entries()) {
          expect(hits.remove(target, document)).toBe(filter?.[document] === 0 ? 0 : key);
          expect(hits.remove(target, document)).toBe(0);
        }
      }
      hits.release();
    }),
  );
});

test('a page of browsed documents is a slice of everything that passes the filters', async () => {
  await fc.assert(
    fc.asyncProperty(anyTargets, anyRange, async (targets, range) => {
      const all = left(targets).map((place) => ({ ...place, key: 0 }));
      const browsed = targets.map(({ keys, filter }) => filter ?? keys.length);
      expect(await browsePage(browsed, range)).toEqual({
        total: all.length,
        places: all.slice(range.offset, range.offset + range.limit),
      });
    }),
  );
});
