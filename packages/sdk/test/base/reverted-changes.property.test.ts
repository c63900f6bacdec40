import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baseAfterPull, leftBehind } from '../../src/base/base-after-pull.ts';
import { type AssetState, findRevertedChanges, type LibraryState } from '../../src/base/library-state.ts';

const content = fc.constantFrom('1', '2', '3');
const files = (id: string) =>
  fc
    .dictionary(fc.constantFrom(`${id}/a`, `${id}/b`), content, { minKeys: 1 })
    .map((byPath) => new Map(Object.entries(byPath)));
const asset = (id: string): fc.Arbitrary<AssetState> =>
  fc.record({ metadataHash: content, files: files(id) });
const rootFiles = fc
  .record({ 'bindery.yml': content, 'README.md': content }, { requiredKeys: [] })
  .map((byName) => new Map(Object.entries(byName)) as Map<string, string>);
const state: fc.Arbitrary<LibraryState> = fc
  .record({ arm: asset('arm'), hand: asset('hand'), leg: asset('leg') }, { requiredKeys: [] })
  .map((assets) => new Map(Object.entries(assets)) as Map<string, AssetState>)
  .chain((assets) => fc.record({ assets: fc.constant(assets), rootFiles }));

/** Everything that a state says, one entry each; what is absent is no key. */
function said({ assets, rootFiles }: LibraryState): Map<string, string | null> {
  const all = new Map<string, string | null>(rootFiles);
  for (const [id, { metadataHash, files }] of assets) {
    all.set(`${id} facts`, metadataHash);
    for (const [path, sha256] of files) all.set(`${id} ${path}`, sha256);
  }
  return all;
}

/** What a push of `local` would take back of what others made of `base`, thing by thing. */
function lost(base: LibraryState, remote: LibraryState, local: LibraryState): Set<string> {
  const [before, there, here] = [said(base), said(remote), said(local)];
  const keys = new Set([...before.keys(), ...there.keys(), ...here.keys()]);
  const undone = [...keys].filter(
    (key) => there.get(key) !== before.get(key) && here.get(key) !== there.get(key),
  );
  return new Set(undone.map((key) => key.split(' ')[0] ?? ''));
}

const items = (undone: { item: string }[]) => new Set(undone.map(({ item }) => item));

describe('the list of changes by others that a push would revert', () => {
  test('is exact, whatever base, library and folder hold', () => {
    fc.assert(
      fc.property(state, state, state, (base, remote, local) => {
        expect(items(findRevertedChanges(local, remote, { base }))).toEqual(lost(base, remote, local));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is empty if the library is unchanged, equals the folder, or was published by the folder itself', () => {
    fc.assert(
      fc.property(state, state, state, (base, remote, local) => {
        expect(findRevertedChanges(local, base, { base })).toEqual([]);
        expect(findRevertedChanges(remote, remote, { base })).toEqual([]);
        expect(findRevertedChanges(local, remote, { base, published: remote })).toEqual([]);
      }),
    );
  });

  test('gives each as added, changed or deleted', () => {
    fc.assert(
      fc.property(state, state, state, (base, remote, local) => {
        for (const { item, change } of findRevertedChanges(local, remote, { base })) {
          const has = ({ assets, rootFiles }: LibraryState) => rootFiles.has(item) || assets.has(item);
          expect([has(remote), has(base)]).toEqual(
            { added: [true, false], changed: [true, true], deleted: [false, true] }[change],
          );
        }
      }),
    );
  });
});

/** A folder after a pull: what the library has, but for what is kept, and beside it what the library does not have. */
function pulledInto(local: LibraryState, remote: LibraryState, kept: ReadonlySet<string>): LibraryState {
  const assets = new Map<string, AssetState>();
  for (const id of new Set([...local.assets.keys(), ...remote.assets.keys()])) {
    const [here, there] = [local.assets.get(id), remote.assets.get(id)];
    const files = new Map(here?.files);
    for (const [path, sha256] of there?.files ?? [])
      if (!kept.has(path) || !files.has(path)) files.set(path, sha256);
    assets.set(id, { metadataHash: there?.metadataHash ?? here?.metadataHash ?? null, files });
  }
  return { assets, rootFiles: remote.rootFiles };
}

/** The state with another content of these files. */
function edit({ assets, rootFiles }: LibraryState, paths: ReadonlySet<string>): LibraryState {
  const edited = [...assets].map(([id, { metadataHash, files }]): [string, AssetState] => [
    id,
    {
      metadataHash,
      files: new Map([...files].map(([path, sha]) => [path, paths.has(path) ? 'merged' : sha])),
    },
  ]);
  return { assets: new Map(edited), rootFiles };
}

function pathsOf({ assets }: LibraryState): Map<string, string> {
  return new Map([...assets.values()].flatMap(({ files }) => [...files]));
}

describe('after a pull', () => {
  const withRootFiles = state.map(({ assets }) => ({
    assets,
    rootFiles: new Map([
      ['bindery.yml', '1'],
      ['README.md', '2'],
    ]),
  }));

  test('of the whole library, a push would revert only deletions whose files the pull left behind', () => {
    fc.assert(
      fc.property(withRootFiles, withRootFiles, withRootFiles, (base, remote, local) => {
        const here = pathsOf(local);
        const pulled = {
          remote,
          selected: null,
          kept: new Map(),
          unplaced: new Set<string>(),
          existsLocally: (path: string) => here.has(path),
        };
        const left = leftBehind(base, pulled).map((path) => path.split('/')[0] ?? '');
        const after = pulledInto(local, remote, new Set());
        expect(items(findRevertedChanges(after, remote, baseAfterPull({ base }, pulled)))).toEqual(
          new Set(left),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('that kept edited files, a push would also revert kept files that others changed too', () => {
    const paths = fc.uniqueArray(fc.constantFrom('arm/a', 'arm/b', 'hand/a', 'leg/b'));
    fc.assert(
      fc.property(withRootFiles, withRootFiles, withRootFiles, paths, (base, remote, local, edited) => {
        const [here, there, before] = [pathsOf(local), pathsOf(remote), pathsOf(base)];
        const kept = new Set(
          edited.filter((path) => here.has(path) && there.has(path) && here.get(path) !== there.get(path)),
        );
        const pulled = {
          remote,
          selected: null,
          kept: new Map([...kept].map((path) => [path, { here: here.get(path) ?? null }])),
          unplaced: new Set<string>(),
          existsLocally: (path: string) => here.has(path),
        };
        const disputed = [...kept].filter((path) => there.get(path) !== before.get(path));
        const expected = [...disputed, ...leftBehind(base, pulled)].map((path) => path.split('/')[0] ?? '');
        const after = pulledInto(local, remote, kept);
        const record = baseAfterPull({ base }, pulled);
        expect(items(findRevertedChanges(after, remote, record))).toEqual(new Set(expected));
        const merged = edit(after, kept);
        const left = leftBehind(base, pulled).map((path) => path.split('/')[0] ?? '');
        expect(items(findRevertedChanges(merged, remote, record))).toEqual(new Set(left));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of one asset, the base is updated for that asset alone', () => {
    fc.assert(
      fc.property(withRootFiles, withRootFiles, (base, remote) => {
        const selected = new Set(['arm']);
        const pulled = { remote, selected, kept: new Map(), unplaced: new Set<string>() };
        const { base: after } = baseAfterPull({ base }, { ...pulled, existsLocally: () => false });
        for (const id of ['hand', 'leg']) expect(after.assets.get(id)).toEqual(base.assets.get(id));
        expect(after.assets.get('arm')?.files).toEqual(remote.assets.get('arm')?.files);
        expect(after.rootFiles).toEqual(base.rootFiles);
      }),
    );
  });
});
