import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ObjectCache } from '../../src/cache/index.ts';
import { ConflictError } from '../../src/failures.ts';
import { placeAllCached } from '../../src/place/place-cached.ts';
import { Placer } from '../../src/place/placer.ts';
import { type TargetFile, WrittenFiles } from '../../src/place/written-files.ts';
import { GuardedFolder } from '../../src/tree/guarded-folder.ts';
import { OWNER } from '../../src/tree/process-owner.ts';
import { NO_PROGRESS } from '../../src/tree/progress.ts';
import { objectOf } from '../cache/contents.ts';
import { temporaryFolder } from '../folder.ts';

const CONTENTS: Record<string, Buffer> = {
  'arm/arm.xml': Buffer.from('<mujoco/>'),
  'arm/empty.txt': Buffer.alloc(0),
  'arm/meshes/a.obj': Buffer.alloc(64 * 1024, 'just small'),
  'arm/meshes/b.obj': Buffer.alloc(64 * 1024 + 1, 'just large'),
  'arm/meshes/c.obj': Buffer.from('o c'),
};
const [PLACE] = OWNER.split('-');
/** Processes: one that has ended, one that is running, and one of another machine. */
const [ENDED, RUNNING, FOREIGN] = [`${PLACE}-${2 ** 22 + 1}`, `${PLACE}-${process.ppid}`, '00000000-1'];

/** A folder without any of the files, all of which the cache has. */
function machine() {
  const cache = new ObjectCache(temporaryFolder());
  const root = temporaryFolder();
  const files = Object.entries(CONTENTS).map(([path, content]): TargetFile => {
    cache.add(objectOf(content), content);
    return { path, remotePath: path, ...objectOf(content) };
  });
  const written = new WrittenFiles();
  return {
    cache,
    root,
    files,
    written,
    async place(more: { whileCopying?: () => void } = {}) {
      const folder = GuardedFolder.openOrCreate(root);
      const progress = {
        start() {
          more.whileCopying?.();
          return NO_PROGRESS.start('', { bytes: 0, items: 0, unit: 'files' });
        },
      };
      try {
        return await placeAllCached(files, cache, new Placer(folder, { missing: files, written }), {
          progress,
        });
      } finally {
        folder.close();
      }
    },
    get names(): string[] {
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort();
    },
  };
}

function expectContents(root: string, paths = Object.keys(CONTENTS)): void {
  for (const path of paths) expect(readFileSync(join(root, path))).toEqual(CONTENTS[path]);
}

describe('missing folders', () => {
  test('are placed with all their files, whose recorded identities stay valid', async () => {
    const { place, root, names: before, written } = machine();
    expect(before).toEqual([]);
    expect(await place()).toEqual([]);
    expectContents(root);
    for (const [path, { identity, isInPlace }] of written) {
      const { ino, mtimeNs, ctimeNs } = lstatSync(join(root, path), { bigint: true });
      expect([path, isInPlace, identity.inode, identity.mtimeNs, identity.ctimeNs]).toEqual([
        path,
        true,
        ino,
        mtimeNs,
        ctimeNs,
      ]);
    }
    expect(lstatSync(join(root, 'arm/meshes/a.obj')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(lstatSync(join(root, 'arm/meshes')).mode & 0o777).toBe(0o777 & ~process.umask());
  });

  test('are placed after removing staging folders of ended processes, but not of others', async () => {
    const ann = machine();
    for (const owner of [ENDED, RUNNING, FOREIGN]) {
      mkdirSync(join(ann.root, `.bindery-0123456789ab.${owner}.folder`));
      writeFileSync(join(ann.root, `.bindery-0123456789ab.${owner}.folder/a.obj`), 'half');
    }
    await ann.place();
    expect(ann.names).toEqual([
      `.bindery-0123456789ab.${FOREIGN}.folder/a.obj`,
      `.bindery-0123456789ab.${RUNNING}.folder/a.obj`,
      ...Object.keys(CONTENTS),
    ]);
  });

  test('are placed without the files that the cache lacks', async () => {
    const { place, root, cache, files } = machine();
    const [xml, , , large] = files;
    for (const file of [xml, large]) rmSync(cache.find(file as TargetFile) ?? '');
    expect(await place()).toEqual([xml, large]);
    expectContents(root, ['arm/empty.txt', 'arm/meshes/a.obj', 'arm/meshes/c.obj']);
  });

  test('are not created if the cache has none of their files', async () => {
    const { place, root, cache, files } = machine();
    for (const file of files) rmSync(cache.find(file) ?? '');
    expect(await place()).toEqual(files);
    expect(readdirSync(root)).toEqual([]);
  });

  test('are placed without a file whose cache entry was changed, and the entry is deleted', async () => {
    const { place, cache, files } = machine();
    const [xml] = files;
    const entry = cache.find(xml as TargetFile) ?? '';
    const changed = Buffer.from(CONTENTS['arm/arm.xml'] ?? '');
    changed.write('X');
    writeFileSync(`${entry}.new`, changed);
    renameSync(`${entry}.new`, entry);
    expect(await place()).toEqual([xml]);
    expect(existsSync(entry)).toBe(false);
  });
});

describe('a folder created while its files are copied', () => {
  test('keeps what is in it and gets the files too', async () => {
    const ann = machine();
    await ann.place({
      whileCopying: () => {
        mkdirSync(join(ann.root, 'arm/meshes'), { recursive: true });
        writeFileSync(join(ann.root, 'arm/meshes/own.obj'), 'o own');
      },
    });
    expectContents(ann.root);
    expect(ann.names).toEqual([...Object.keys(CONTENTS), 'arm/meshes/own.obj'].sort());
  });

  test('as a link to another folder is not followed', async () => {
    const ann = machine();
    const elsewhere = temporaryFolder();
    const placing = ann.place({ whileCopying: () => symlinkSync(elsewhere, join(ann.root, 'arm')) });
    await expect(placing).rejects.toThrow(ConflictError);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(ann.names).toEqual(['arm']);
  });
});

test('a staged folder is moved into place only if nothing exists there by then', () => {
  const root = temporaryFolder();
  const folder = GuardedFolder.openOrCreate(root);
  for (const make of [
    () => mkdirSync(join(root, 'arm/own'), { recursive: true }),
    () => writeFileSync(join(root, 'hand'), 'a file'),
    () => symlinkSync(temporaryFolder(), join(root, 'leg')),
  ]) {
    const path = ['arm', 'hand', 'leg'].find((name) => !existsSync(join(root, name))) ?? '';
    const staged = folder.stageFolder(path, '.staged');
    writeFileSync(`${staged.pathPrefix()}a.obj`, 'o a');
    make();
    expect(staged.putInPlace()).toBe(false);
    staged.close();
  }
  folder.close();
  expect(readdirSync(root).sort()).toEqual(['arm', 'hand', 'leg']);
  expect(readdirSync(join(root, 'arm'))).toEqual(['own']);
});
