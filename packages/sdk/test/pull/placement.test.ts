import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConflictError } from '../../src/failures.ts';
import { PartialFiles } from '../../src/place/partial-files.ts';
import { ContentBufferPool, Placement } from '../../src/place/placement.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { GuardedFolder } from '../../src/tree/guarded-folder.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, type Contents, startFakeService } from './fake-service.ts';

const MIB = 1024 * 1024;
const RETRY = { attempts: 2, pause: 1, maxPause: 1_000 };

/** So much that a thread puts it in place: small files in bundles, and some that come alone. */
function manyContents(): Contents {
  const small = Array.from({ length: 500 }, (_, nth) => [`part-${nth % 20}/${nth}.bin`, randomBytes(nth)]);
  const large = Array.from({ length: 5 }, (_, nth) => [`scan/${nth}.bin`, randomBytes(3 * MIB + nth)]);
  return Object.fromEntries([...small, ...large]);
}

async function libraryOf(contents: Contents) {
  const { service, client } = await startFakeService(contents);
  service.objectsPath = '/storage/objects';
  const [folder, cacheFolder] = [temporaryFolder(), temporaryFolder()];
  const pull = (target = folder) =>
    pullLibrary(client, ARMS, target, { cacheFolder, stateFolder: temporaryFolder(), retry: RETRY });
  return { service, folder, cacheFolder, pull };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function expectWhole(folder: string, contents: Contents): void {
  expect(filesIn(folder).sort()).toEqual(Object.keys(contents).sort());
  for (const [path, content] of Object.entries(contents))
    expect(readFileSync(join(folder, path)).equals(Buffer.from(content))).toBe(true);
}

describe('a pull of many files', () => {
  test('places them all and caches them for the next pull', async () => {
    const contents = manyContents();
    const { pull, folder } = await libraryOf(contents);
    expect(await pull()).toMatchObject({ fetched: { files: 505 } });
    expectWhole(folder, contents);
    const again = temporaryFolder();
    expect(await pull(again)).toMatchObject({ fetched: { files: 0 }, cached: { files: 505 } });
    expectWhole(again, contents);
  });

  test('succeeds even if the cache cannot be written', async () => {
    const contents = manyContents();
    const { pull, folder, cacheFolder } = await libraryOf(contents);
    writeFileSync(join(cacheFolder, 'objects'), 'a file where the folder should be');
    expect(await pull()).toMatchObject({ fetched: { files: 505 } });
    expectWhole(folder, contents);
  });

  test('fetches a file with wrong bytes in a bundle alone', async () => {
    const contents = manyContents();
    const { pull, folder, service } = await libraryOf(contents);
    service.misbehaveInBundles = ({ response, bytes }) => {
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      response.end(bytes);
    };
    await pull();
    expectWhole(folder, contents);
    expect(service.counts.objects).toBe(5 + (service.counts.bundle ?? 0));
  });

  test('fails if files fetched alone have wrong bytes, and leaves none of those', async () => {
    const contents = manyContents();
    const { pull, folder, service } = await libraryOf(contents);
    service.misbehave = ({ response, bytes }) => response.end(Buffer.from(bytes).fill('x'));
    await expect(pull()).rejects.toThrow(expect.objectContaining({ name: 'IntegrityError' }));
    expect(filesIn(folder).filter((path) => !path.startsWith('part-'))).toEqual([]);
  });

  test('stops at a symlink planted meanwhile and does not follow it', async () => {
    const outside = temporaryFolder();
    const { pull, folder, service } = await libraryOf(manyContents());
    let planted = false;
    service.misbehaveInBundles = ({ send }) => {
      if (!planted) symlinkSync(outside, join(folder, 'part-7'));
      planted = true;
      send();
    };
    const pulled = pull();
    await expect(pulled).rejects.toBeInstanceOf(ConflictError);
    await expect(pulled).rejects.toThrow(/part-7 is a link or a file here/);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('stays in the folder in which it began, even if a link takes its name', async () => {
    const outside = temporaryFolder();
    const parent = temporaryFolder();
    const [target, moved] = [join(parent, 'robots'), join(parent, 'moved')];
    mkdirSync(target);
    const contents = manyContents();
    const { pull, service } = await libraryOf(contents);
    let isMoved = false;
    service.before.set('files-presign', () => {
      if (isMoved) return;
      isMoved = true;
      renameSync(target, moved);
      symlinkSync(outside, target);
    });
    await pull(target);
    expectWhole(moved, contents);
    expect(readdirSync(outside)).toEqual([]);
  });
});

test('files are placed without the thread if it has ended', async () => {
  const root = temporaryFolder();
  const folder = GuardedFolder.openOrCreate(root);
  const contents = Array.from({ length: 500 }, (_, nth) => Buffer.from(`content ${nth}`));
  const files = contents.map((content, nth) => {
    const path = `parts/${nth}.bin`;
    return { path, remotePath: path, size: content.length, sha256: hash('sha256', content) };
  });
  const placement = Placement.open(files, { folder, partials: new PartialFiles(folder), cache: null });
  await placement.close();
  await new ContentBufferPool().use(async (memory) => {
    let at = 0;
    const arrived = files.map((file, nth) => {
      contents[nth]?.copy(memory, at);
      at += file.size;
      return { file, at: at - file.size };
    });
    const placed: string[] = [];
    expect(await placement.place(arrived, memory, ({ path }) => placed.push(path))).toEqual([]);
    expect(placed).toHaveLength(500);
  });
  folder.close();
  expectWhole(root, Object.fromEntries(files.map(({ path }, nth) => [path, contents[nth] ?? ''])));
});
