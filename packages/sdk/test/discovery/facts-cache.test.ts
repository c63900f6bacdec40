import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examineFiles } from '../../src/discovery/examine.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { FactsCache } from '../../src/local-discovery/facts-cache.ts';
import type { ScannedFile } from '../../src/tree/scan.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { MIXED_LIBRARY } from './mixed-library.ts';
import { model, OBJ, urdf } from './models.ts';

const LONG_AGO = { mtimeNs: 1_000_000_001n, ctimeNs: 1_000_000_001n };
const ARM: ScannedFile = { path: 'arm/arm.urdf', size: 200, inode: 7n, ...LONG_AGO };
const OTHER: ScannedFile = { path: 'arm/notes.xml', size: 10, inode: 8n, ...LONG_AGO };

/** Examines the files as another run of the program would; answers which of them it read. */
function examine(cacheFolder: string, files: readonly ScannedFile[]) {
  const read = new Set<string>();
  const cache = new FactsCache('/a/folder', cacheFolder);
  const { facts } = examineFiles(
    files,
    (path) => {
      read.add(path);
      return new TextEncoder().encode(path === ARM.path ? urdf('link.stl') : '<notes/>');
    },
    cache,
  );
  cache.save(files);
  return { read: [...read], facts };
}

describe('the cache of facts about files', () => {
  test('spares the next run from reading unchanged files, even those irrelevant to discovery', () => {
    const folder = temporaryFolder();
    const first = examine(folder, [ARM, OTHER]);
    const second = examine(folder, [ARM, OTHER]);

    expect(first.read).toEqual([ARM.path, OTHER.path]);
    expect(second.read).toEqual([]);
    expect(second.facts).toEqual(first.facts);
    expect(second.facts.get(ARM.path)?.references).toEqual([{ text: 'link.stl', role: 'mesh', line: 1 }]);
  });

  test.each([
    ['its size', { size: 201 }],
    ['its modification time', { mtimeNs: 5n }],
    ['its inode change time (ctime)', { ctimeNs: 5n }],
    ['its inode', { inode: 9n }],
  ])('is not used for a file if %s has changed', (_what, change) => {
    const folder = temporaryFolder();
    examine(folder, [ARM]);
    expect(examine(folder, [{ ...ARM, ...change }]).read).toEqual([ARM.path]);
  });

  test('is not used if it is damaged', () => {
    const folder = temporaryFolder();
    examine(folder, [ARM]);
    const [name = ''] = readdirSync(join(folder, 'facts'));
    const file = join(folder, 'facts', name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('link.stl', 'evil.stl'));

    const { read, facts } = examine(folder, [ARM]);
    expect(read).toEqual([ARM.path]);
    expect(facts.get(ARM.path)?.references[0]?.text).toBe('link.stl');
  });

  test('forgets a file that is no longer in the folder', () => {
    const folder = temporaryFolder();
    examine(folder, [ARM, OTHER]);
    examine(folder, [ARM]);
    expect(examine(folder, [ARM, OTHER]).read).toEqual([OTHER.path]);
  });
});

test('discovery returns the same with a cache as without, whatever changes in a folder and however fast', () => {
  const paths = Object.keys(MIXED_LIBRARY);
  const content = fc.constantFrom(OBJ, urdf('a.stl'), urdf('b.stl'), model('<worldbody/>'), 'x');
  const edit = fc.record({ path: fc.constantFrom(...paths), content: fc.option(content) });
  fc.assert(
    fc.property(fc.array(fc.array(edit, { maxLength: 3 }), { minLength: 1, maxLength: 4 }), (rounds) => {
      const [folder, cacheFolder] = [folderWith(MIXED_LIBRARY), temporaryFolder()];
      for (const edits of [[], ...rounds]) {
        for (const { path, content } of edits) {
          if (content === null) rmSync(join(folder, path), { force: true });
          else writeFiles(folder, { [path]: content });
        }
        expect(discoverLibrary(folder, { cacheFolder })).toEqual(discoverLibrary(folder));
      }
    }),
    { numRuns: 30 },
  );
});

test('examination stops at its byte limit and lists the remaining files as unexamined', () => {
  const content = new TextEncoder().encode(urdf('link.stl'));
  const files = ['a.urdf', 'b.urdf', 'c.urdf'].map((path) => ({ path, size: content.byteLength }));
  const { facts, unexamined } = examineFiles(files, () => content, undefined, {
    bytes: content.byteLength,
    milliseconds: Number.POSITIVE_INFINITY,
  });
  expect([...facts.keys()]).toEqual(['a.urdf', 'b.urdf']);
  expect(unexamined).toEqual(['c.urdf']);
});
