import type { Manifest } from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LocatedUse } from '../../src/project-assets/assets-file.ts';
import { formatLock, type Lock, parseLock } from '../../src/project-assets/lock.ts';
import { isDenied, type LibraryRevision, resolveUses } from '../../src/project-assets/resolve-uses.ts';
import { formatUse, libraryOf, parseCanonicalUse, parseUse, type Use } from '../../src/project-assets/use.ts';

const IDS = ['arm', 'hand', 'mug-red', 'mug-white', 'table'];
const LIBRARIES = ['ada/kitchen', 'ada/robots', 'bob/kitchen'];

function manifestOf(library: string): Manifest {
  const assets = IDS.map((id, at) => ({
    id,
    kind: at % 2 === 0 ? 'mjcf' : 'mesh',
    ...(at % 3 === 0 ? { tags: ['small'] } : {}),
    ...(at === 1 ? { license: 'GPL-3.0-only' } : {}),
    files: [{ path: `${id}/${library}.xml`, size: at, sha256: String(at).repeat(64) }],
  }));
  return { schema: 'bindery.assets/v1', library: { license: 'MIT' }, assets };
}

const REVISIONS = new Map(
  LIBRARIES.map((library, at): [string, LibraryRevision] => [
    library,
    {
      locked: {
        server: 'https://bindery.example.com',
        revision: at,
        manifest: { sha256: 'cd'.repeat(32), size: at },
      },
      manifest: manifestOf(library),
    },
  ]),
);

/** The assets of a library that a pattern or a filter matches. */
const MATCHES: Readonly<Record<string, readonly string[]>> = {
  '/*': IDS,
  '/mug-*': ['mug-red', 'mug-white'],
  '/{arm,hand}': ['arm', 'hand'],
  '?kind=mjcf': ['arm', 'mug-red', 'table'],
  '?tag=small': ['arm', 'mug-white'],
  '?license=MIT': ['arm', 'mug-red', 'mug-white', 'table'],
};

const use = fc
  .tuple(
    fc.constantFrom(...LIBRARIES),
    fc.oneof(
      fc.constantFrom(...IDS).map((id) => ({ rest: `/${id}`, as: null })),
      fc
        .tuple(fc.constantFrom(...IDS), fc.constantFrom('one', 'two', 'arm'))
        .map(([id, as]) => ({ rest: `/${id}`, as })),
      fc.constantFrom(...Object.keys(MATCHES)).map((rest) => ({ rest, as: null })),
    ),
  )
  .map(([library, { rest, as }]) => parseUse(`${library}${rest}`, as));

function written(uses: readonly ReturnType<typeof parseUse>[]): LocatedUse[] {
  return uses.map((one, at) => ({ ...one, line: at + 1, column: 5 }));
}

/** The addresses of the assets that a use matches. */
function matchedBy(one: Use): string[] {
  const library = libraryOf(one);
  const ids =
    one.selector.by === 'id' ? [one.selector.id] : (MATCHES[formatUse(one).slice(library.length)] ?? []);
  return ids.map((id) => `${library}/${id}`);
}

function resolved(uses: readonly ReturnType<typeof parseUse>[]): Lock | 'refused' {
  try {
    return resolveUses(written(uses), REVISIONS);
  } catch (error) {
    if (error instanceof Error && error.name === 'ProjectFileError') return 'refused';
    throw error;
  }
}

const RUNS = { numRuns: 500 };

describe('whatever a project uses', () => {
  test('the order of uses in assets.yml does not matter', () => {
    fc.assert(
      fc.property(
        fc
          .array(use, { maxLength: 6 })
          .chain((uses) =>
            fc.tuple(fc.constant(uses), fc.shuffledSubarray(uses, { minLength: uses.length })),
          ),
        ([uses, others]) => {
          expect(resolved(others)).toEqual(resolved(uses));
        },
      ),
      RUNS,
    );
  });

  test('a lock round-trips, its uses resolve to it again, and repeated uses change nothing', () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 6 }), (uses) => {
        const lock = resolved(uses);
        if (lock === 'refused') return;
        expect(parseLock(formatLock(lock))).toEqual(lock);
        expect(resolved(lock.uses.map(parseCanonicalUse))).toEqual(lock);
        expect(resolved([...uses, ...uses])).toEqual(lock);
      }),
      RUNS,
    );
  });

  test('names are unique, and the assets are those that the uses match', () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 6 }), (uses) => {
        const lock = resolved(uses);
        if (lock === 'refused') return;
        const names = lock.assets.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        const addresses = lock.assets.map(({ library, asset }) => `${library}/${asset}`);
        expect(new Set(addresses)).toEqual(new Set(uses.flatMap(matchedBy)));
      }),
      RUNS,
    );
  });
});

describe('two assets with the same name', () => {
  test('are refused with the lines of both', () => {
    expect(() =>
      resolveUses(written([parseUse('ada/kitchen/arm'), parseUse('ada/robots/arm')]), REVISIONS),
    ).toThrow(
      'assets.yml:2:5: ada/robots/arm and, by line 1, ada/kitchen/arm would both be named arm here; rename one with "as"',
    );
  });

  test('are allowed once one of them is renamed, even if a pattern matches it too', () => {
    const uses = [parseUse('ada/kitchen/*'), parseUse('ada/robots/arm'), parseUse('ada/kitchen/arm', 'toy')];
    const { assets } = resolveUses(written(uses), REVISIONS);
    expect(assets.map(({ name, library }) => `${name} ${library}`)).toEqual([
      'arm ada/robots',
      'hand ada/kitchen',
      'mug-red ada/kitchen',
      'mug-white ada/kitchen',
      'table ada/kitchen',
      'toy ada/kitchen',
    ]);
  });
});

test('a use that matches no asset is refused with its position', () => {
  expect(() => resolveUses(written([parseUse('ada/kitchen/fork')]), REVISIONS)).toThrow(
    'assets.yml:1:5: ada/kitchen/fork matches no asset of ada/kitchen in revision 0',
  );
});

test.each([
  ['GPL-3.0-only', true],
  ['gpl-3.0-only', true],
  ['MIT', false],
  ['MIT OR GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', true],
  ['(MIT OR GPL-3.0-only) AND GPL-3.0-only', true],
  ['GPL-3.0-only WITH Classpath-exception-2.0', true],
  ['Ask us nicely', false],
  ['For research alone', true],
])('a project that denies GPL-3.0-only and "for research alone" denies %s: %j', (license, denied) => {
  expect(isDenied(license, ['GPL-3.0-only', 'for research alone'])).toBe(denied);
});
