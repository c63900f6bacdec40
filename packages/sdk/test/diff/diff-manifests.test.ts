import { MANIFEST_SCHEMA, type Manifest, type ManifestAsset } from '@bindery/contract';
import { diffManifests } from '@bindery/sdk/reading';
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

describe('The diff of two manifests', () => {
  it('lists added, removed and changed assets and files', () => {
    const before = manifest({ arm: { 'arm/a': 'a', 'arm/b': 'b' }, cup: { 'cup/c': 'c' } });
    const after = manifest({ arm: { 'arm/a': 'd', 'arm/e': 'e' }, box: { 'box/f': 'f' } });
    expect(diffManifests(before, after)).toEqual({
      assets: { added: ['box'], removed: ['cup'], changed: ['arm'] },
      files: { added: ['arm/e', 'box/f'], removed: ['arm/b', 'cup/c'], changed: ['arm/a'] },
    });
  });

  it('lists an asset whose metadata alone changed, and none of its files', () => {
    const before = manifest({ arm: { a: 'a' } }, { title: 'Arm' });
    const after = manifest({ arm: { a: 'a' } }, { title: 'Red arm' });
    expect(diffManifests(before, after)).toEqual({
      assets: { ...NOTHING, changed: ['arm'] },
      files: NOTHING,
    });
  });

  it('is empty if only the order of files differs', () => {
    const before = manifest({ arm: { a: 'a', b: 'b' } });
    const after = manifest({ arm: { b: 'b', a: 'a' } });
    expect(diffManifests(before, after)).toEqual({ assets: NOTHING, files: NOTHING });
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
        expect(diffManifests(one, one)).toEqual({ assets: NOTHING, files: NOTHING });
      }),
    );
  });
});
