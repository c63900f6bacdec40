import { MANIFEST_SCHEMA, type Manifest, type ManifestAsset } from '@bindery/contract';
import { diffManifests } from '@bindery/sdk/diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const hash = (letter: string) => letter.repeat(64);

function manifest(
  assets: Record<string, Record<string, string>>,
  more: Partial<ManifestAsset> = {},
): Manifest {
  return {
    schema: MANIFEST_SCHEMA,
    assets: Object.entries(assets).map(([id, files]) => ({
      id,
      files: Object.entries(files).map(([path, letter]) => ({ path, size: 1, sha256: hash(letter) })),
      ...more,
    })),
  };
}

const NOTHING = { added: [], removed: [], changed: [] };
const SAME = { library: [], assets: NOTHING, files: NOTHING, changes: [] };

describe('The diff of two manifests', () => {
  it('lists added, removed and changed assets and files', () => {
    const before = manifest({ arm: { 'arm/a': 'a', 'arm/b': 'b' }, cup: { 'cup/c': 'c' } });
    const after = manifest({ arm: { 'arm/a': 'd', 'arm/e': 'e' }, box: { 'box/f': 'f' } });
    expect(diffManifests(before, after)).toEqual({
      library: [],
      assets: { added: ['box'], removed: ['cup'], changed: ['arm'] },
      files: { added: ['arm/e', 'box/f'], removed: ['arm/b', 'cup/c'], changed: ['arm/a'] },
      changes: [
        { id: 'arm', facts: [], files: { added: ['arm/e'], removed: ['arm/b'], changed: ['arm/a'] } },
      ],
    });
  });

  it('compares what was measured number by number, and no descriptors', () => {
    const before = manifest(
      { arm: { a: 'a' } },
      { meta: { statistics: { joints: 6, descriptor: '1:AAAA', hands: [] } } },
    );
    const after = manifest(
      { arm: { a: 'a' } },
      { meta: { statistics: { joints: 7, descriptor: '1:BBBB' } } },
    );
    expect(diffManifests(before, after).changes[0]?.facts).toEqual([
      { fact: 'meta.statistics.joints', before: 6, after: 7 },
    ]);
  });

  it('lists an asset whose metadata alone changed, and none of its files', () => {
    const before = manifest({ arm: { a: 'a' } }, { title: 'Arm' });
    const after = manifest({ arm: { a: 'a' } }, { title: 'Red arm' });
    expect(diffManifests(before, after)).toEqual({
      ...SAME,
      assets: { ...NOTHING, changed: ['arm'] },
      changes: [{ id: 'arm', facts: [{ fact: 'title', before: 'Arm', after: 'Red arm' }], files: NOTHING }],
    });
  });

  it('names the facts that were stated, changed or dropped, those of groups one by one', () => {
    const before = manifest({ arm: { a: 'a' } }, { license: 'MIT', meta: { dof: 6, payload: 2 } });
    const after = manifest({ arm: { a: 'a' } }, { tags: ['robot'], meta: { payload: 3, dof: 6 } });
    const library = (license: string) => ({ library: { title: 'Arms', license } });
    expect(
      diffManifests({ ...before, ...library('MIT') }, { ...after, ...library('Apache-2.0') }),
    ).toMatchObject({
      library: [{ fact: 'license', before: 'MIT', after: 'Apache-2.0' }],
      changes: [
        {
          facts: [
            { fact: 'license', before: 'MIT', after: undefined },
            { fact: 'meta.payload', before: 2, after: 3 },
            { fact: 'tags', before: undefined, after: ['robot'] },
          ],
        },
      ],
    });
  });

  it('is empty if only the order of files differs', () => {
    const before = manifest({ arm: { a: 'a', b: 'b' } });
    const after = manifest({ arm: { b: 'b', a: 'a' } });
    expect(diffManifests(before, after)).toEqual(SAME);
  });

  it('swaps added and removed in the other direction, and is empty for equal manifests', () => {
    const files = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('a', 'b'), { minKeys: 1 });
    const library = fc
      .dictionary(fc.constantFrom('arm', 'cup', 'box'), files)
      .map((assets) => manifest(assets));
    fc.assert(
      fc.property(library, library, (one, other) => {
        const there = diffManifests(one, other);
        const back = diffManifests(other, one);
        for (const what of ['assets', 'files'] as const) {
          expect(back[what].added).toEqual(there[what].removed);
          expect(back[what].removed).toEqual(there[what].added);
          expect(back[what].changed).toEqual(there[what].changed);
        }
        expect(diffManifests(one, one)).toEqual(SAME);
      }),
    );
  });
});
