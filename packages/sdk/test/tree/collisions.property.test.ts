import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unsupportedPaths } from '../../src/tree/collisions.ts';
import { collisions, type NameRules } from '../../src/tree/names.ts';
import { temporaryFolder } from '../folder.ts';

const LINUX: NameRules = { foldsCase: false, foldsNormalization: false, windows: false };
const MAC: NameRules = { foldsCase: true, foldsNormalization: true, windows: false };
const WINDOWS: NameRules = { foldsCase: true, foldsNormalization: false, windows: true };

const segment = fc.stringMatching(/^[a-z]{1,6}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

describe('path collisions', () => {
  test.each([
    ['letter case', ['arm/A.xml', 'arm/a.xml'], MAC, ['arm/A.xml and arm/a.xml']],
    ['letter case of a folder', ['Arm/a.xml', 'arm/b.xml'], WINDOWS, ['Arm and arm']],
    ['letter case beyond ASCII', ['É', 'é'], WINDOWS, ['É and é']],
    ['both Unicode forms of a letter', ['\u00e9', 'e\u0301'], MAC, ['\u00e9 and e\u0301']],
    ['both Unicode forms if they are distinct names', ['\u00e9', 'e\u0301'], WINDOWS, []],
    ['both letter cases if they are distinct names', ['A', 'a'], LINUX, []],
  ])('are found by the rules of each system: %s', (_, paths, rules, expected) => {
    expect(collisions(paths, rules)).toEqual(expected);
  });

  test.each(['nul', 'NUL.txt', 'a/con', 'a/COM1.xml', 'a?b', 'a:b/c', 'end.', 'end ', 'lpt¹'])(
    'include a name that Windows does not allow: %j',
    (name) => {
      expect(collisions([name], WINDOWS)).toHaveLength(1);
      expect(collisions([name], MAC)).toEqual([]);
    },
  );

  test.each(['console', 'null', 'com', 'com10', 'a.con'])(
    'do not include a name that Windows allows: %j',
    (name) => {
      expect(collisions([name], WINDOWS)).toEqual([]);
    },
  );
});

describe('names that a disk cannot hold', () => {
  const paths = ['arm/a.obj', 'arm/a:b.obj', 'v1./hand.glb', 'nul/x'];

  test('are found by trying them, and only if they are doubtful', () => {
    const tried: string[] = [];
    const fat = (names: ReadonlySet<string>) => {
      tried.push(...names);
      return new Set(['nul', 'v1']);
    };
    expect(unsupportedPaths(paths, '/nowhere', fat)).toEqual(['arm/a:b.obj', 'v1./hand.glb']);
    expect(tried).toEqual(['a:b.obj', 'v1.', 'nul']);
    expect(unsupportedPaths(['arm/a.obj'], '/nowhere', () => expect.fail())).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'are none on the disk of the tests, where nothing is left',
    () => {
      const folder = temporaryFolder();
      expect(unsupportedPaths(paths, folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

test('distinct lower-case paths never collide', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path), (paths) => {
      expect(collisions(paths, MAC)).toEqual([]);
    }),
  );
});

test('a path and its upper-case form collide if the system folds case, and only then', () => {
  fc.assert(
    fc.property(path, fc.array(path), (one, others) => {
      const other = one.toUpperCase();
      expect(collisions([one, ...others, other], WINDOWS)).not.toEqual([]);
      expect(collisions([one, ...others, other], LINUX)).toEqual([]);
    }),
  );
});
