import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../../../server/test/objects/small-disk.ts';
import { statLibrary } from '../../src/libraries.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ARMS, type Contents, startFakeService } from './fake-service.ts';

const RETRY = { attempts: 3, pause: 1, maxPause: 1_000 };
const CONTENTS = { 'arm/arm.xml': '<mujoco/>', 'arm/meshes/a b.obj': 'mesh', 'hand/hand.glb': 'hand' };

async function libraryOf(contents: Contents = CONTENTS) {
  const { service, client } = await startFakeService(contents);
  const folder = temporaryFolder();
  const options = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder(), retry: RETRY };
  return {
    service,
    folder,
    pull: (more = {}) => pullLibrary(client, ARMS, folder, { ...options, ...more }),
    stat: (more = {}) => statLibrary(client, ARMS, folder, { ...options, ...more }),
  };
}

/** Every file of a folder with what it holds, without those that pulls set aside. */
function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const)
      .filter(([path]) => !path.startsWith('.bindery/replaced/')),
  );
}

describe('a pull', () => {
  test('fetches every file of the library and nothing else', async () => {
    const { pull, folder } = await libraryOf();
    expect(await pull()).toMatchObject({
      revision: 1,
      fetched: { files: 3, bytes: 17 },
      replaced: [],
      unchanged: { files: 0 },
    });
    expect(filesIn(folder)).toEqual(CONTENTS);
  });

  test('requests nothing but the library itself if nothing has changed', async () => {
    const { pull, service } = await libraryOf();
    await pull();
    service.resetCounts();
    expect(await pull()).toMatchObject({ fetched: { files: 0 }, unchanged: { files: 3, bytes: 17 } });
    expect(service.counts).toEqual({ arms: 1 });
  });

  test('fetches only files that differ, and does not touch files that the library lacks', async () => {
    const { pull, service, folder } = await libraryOf();
    await pull();
    writeFiles(folder, { 'arm/arm.xml': 'edited', 'arm/notes.txt': 'mine', 'own/file.txt': 'mine too' });
    service.publish({ ...CONTENTS, 'hand/hand.glb': 'new hand' });
    expect(await pull()).toMatchObject({
      revision: 2,
      fetched: { files: 1 },
      cached: { files: 1 },
      replaced: ['arm/arm.xml', 'hand/hand.glb'],
      unchanged: { files: 1 },
    });
    expect(filesIn(folder)).toEqual({
      ...CONTENTS,
      'hand/hand.glb': 'new hand',
      'arm/notes.txt': 'mine',
      'own/file.txt': 'mine too',
    });
  });

  test.each([
    ['without the manifest', false],
    ['from a service that tells only whole manifests', true],
  ])('of one asset fetches only its files, and of an unknown asset fails: %s', async (_, isOlder) => {
    const { pull, folder, service } = await libraryOf();
    service.isOlder = isOlder;
    await pull({ assets: ['hand'] });
    expect(filesIn(folder)).toEqual({ 'hand/hand.glb': 'hand' });
    expect(service.counts.manifest).toBe(isOlder ? 1 : undefined);
    await expect(pull({ assets: ['leg'] })).rejects.toThrow('acme/arms has no asset leg');
  });

  test('of one asset prunes a file that no asset has any more, and keeps one that another asset has', async () => {
    const { pull, folder, service } = await libraryOf();
    service.publish({ ...CONTENTS, 'hand/moved.glb': 'moved', 'hand/gone.glb': 'gone' });
    await pull({ assets: ['hand'] });
    service.distort = (manifest) => {
      const [arm, ...others] = (manifest as { assets: { files: { path: string }[] }[] }).assets;
      const moved = others.flatMap(({ files }) => files).filter(({ path }) => path === 'hand/moved.glb');
      for (const asset of others) asset.files = asset.files.filter(({ path }) => !/moved|gone/.test(path));
      return { ...manifest, assets: [{ ...arm, files: [...(arm?.files ?? []), ...moved] }, ...others] };
    };
    const { pruned, leftBehind } = await pull({ assets: ['hand'], prune: true });
    expect([pruned, leftBehind]).toEqual([['hand/gone.glb'], []]);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['hand/hand.glb', 'hand/moved.glb']);
  });

  test('of one asset refuses a path that leads out of the folder', async () => {
    const { pull, service } = await libraryOf();
    service.distort = (manifest) => ({
      ...manifest,
      assets: [{ id: 'hand', files: [{ path: '../hand.glb', size: 1, sha256: 'a'.repeat(64) }] }],
    });
    await expect(pull({ assets: ['hand'] })).rejects.toThrow(/breaks the rules of the format/);
    expect(service.counts.manifest).toBeUndefined();
  });

  test('replaces a file with changed content but its old size and modification time', async () => {
    const { pull, folder } = await libraryOf();
    await pull();
    const file = join(folder, 'hand/hand.glb');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'HAND');
    utimesSync(file, atime, mtime);
    expect(await pull()).toMatchObject({ replaced: ['hand/hand.glb'] });
    expect(readFileSync(file, 'utf8')).toBe('hand');
  });

  test('requests a new presigned URL if the old one has expired', async () => {
    const { pull, service, folder } = await libraryOf();
    let refusals = 2;
    service.misbehave = ({ response, send }) => {
      if (refusals-- <= 0) return send();
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"url_expired"}');
    };
    await pull();
    expect(filesIn(folder)).toEqual(CONTENTS);
    expect(service.counts['files-presign']).toBeGreaterThan(1);
  });

  test('continues after the responses 502, 429 and 503', async () => {
    const { pull, service, folder } = await libraryOf();
    const statuses = [503, 429, 500 + 2];
    service.misbehave = ({ response, send }) => {
      const status = statuses.pop();
      if (status === undefined) return send();
      response.writeHead(status, { 'retry-after': '0' }).end();
    };
    await pull();
    expect(filesIn(folder)).toEqual(CONTENTS);
  });
});

describe('a pull gets the files of a single revision', () => {
  const NEXT = { 'arm/arm.xml': '<mujoco model="two"/>', 'leg/leg.glb': 'leg' };

  test('the one it began with, if the library moves on while files arrive', async () => {
    const { pull, service, folder } = await libraryOf();
    service.before.set('objects', () => {
      service.before.clear();
      service.publish(NEXT);
    });
    expect(await pull()).toMatchObject({ revision: 1 });
    expect(filesIn(folder)).toEqual(CONTENTS);
  });

  test.each(['manifest', 'files-presign'])(
    'the next one, if the library moves on before %s',
    async (moment) => {
      const { pull, service, folder } = await libraryOf();
      service.before.set(moment, () => {
        service.before.clear();
        service.publish(NEXT);
      });
      expect(await pull()).toMatchObject({ revision: 2 });
      expect(filesIn(folder)).toEqual(NEXT);
    },
  );

  test('the next one, if presigned URLs fail and their files have changed', async () => {
    const { pull, service, folder } = await libraryOf();
    let served = 0;
    service.misbehave = ({ response, send }) => {
      if (service.revision === 2 || ++served === 1) return send();
      service.publish(NEXT);
      response.writeHead(404).end();
    };
    expect(await pull()).toMatchObject({ revision: 2 });
    expect(filesIn(folder)).toEqual(NEXT);
  });
});

describe('a hostile server', () => {
  test.each([
    ['wrong bytes', (bytes: Buffer) => Buffer.from(bytes).fill('x'), /does not match its manifest/],
    ['more bytes', (bytes: Buffer) => Buffer.concat([bytes, bytes]), /is longer than its manifest says/],
  ])('that sends %s fails the pull, which leaves no file', async (_, change, message) => {
    for (const size of [10, 1024 * 1024, 5 * 1024 * 1024]) {
      const { pull, service, folder } = await libraryOf({ 'arm/arm.bin': randomBytes(size) });
      service.misbehave = ({ response, bytes }) => response.writeHead(200).end(change(bytes));
      await expect(pull()).rejects.toThrow(
        expect.objectContaining({ name: 'IntegrityError', message: expect.stringMatching(message) }),
      );
      expect(filesIn(folder)).toEqual({});
    }
  });

  test('that sends too few bytes, as a proxy that cuts responses short, is asked again before the pull fails', async () => {
    for (const size of [10, 5 * 1024 * 1024]) {
      const { pull, service, folder } = await libraryOf({ 'arm/arm.bin': randomBytes(size) });
      let cuts = 0;
      service.misbehave = ({ response, bytes, send }) => {
        if (++cuts <= 2) response.writeHead(200).end(bytes.subarray(1));
        else send();
      };
      await pull();
      expect(Object.keys(filesIn(folder))).toEqual(['arm/arm.bin']);
    }
  });

  test('that sends a web page in place of each file fails the pull with the name of a file', async () => {
    const { pull, service, folder } = await libraryOf({ 'arm/arm.bin': randomBytes(10) });
    service.misbehave = ({ response }) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<html>Sign in to the network</html>');
    await expect(pull()).rejects.toThrow(
      expect.objectContaining({
        name: 'UnexpectedResponseError',
        message: expect.stringMatching(/sent a web page in place of arm\/arm\.bin/),
      }),
    );
    expect(filesIn(folder)).toEqual({});
  });

  test('that sends an endless body is cut off', async () => {
    const { pull, service, folder } = await libraryOf({ 'arm/arm.bin': randomBytes(5 * 1024 * 1024) });
    let closed = false;
    service.misbehave = ({ response }) => {
      response.writeHead(200);
      const flood = setInterval(() => response.write(Buffer.alloc(256 * 1024)), 1);
      response.on('close', () => {
        closed = true;
        clearInterval(flood);
      });
    };
    await expect(pull()).rejects.toThrow('is longer than its manifest says');
    await expect.poll(() => closed).toBe(true);
    expect(filesIn(folder)).toEqual({});
  });

  test.each([
    '../outside',
    '/etc/outside',
    'arm/../../outside',
    'arm\\..\\outside',
    'C:/x/../y',
    '.bindery/x',
    'arm/\0',
  ])('that lists the path %j has its whole manifest refused', async (path) => {
    const { pull, service, folder } = await libraryOf();
    service.distort = (manifest) => ({
      ...manifest,
      assets: [{ id: 'arm', files: [{ path, size: 1, sha256: 'a'.repeat(64) }] }],
    });
    await expect(pull()).rejects.toThrow(/breaks the rules of the format/);
    expect(filesIn(folder)).toEqual({});
    expect(existsSync(join(folder, '../outside'))).toBe(false);
  });
});

describe('files where other programs find what they run', () => {
  test.each(['arm/.git/hooks/post-checkout', 'arm/.vscode/tasks.json', 'arm/.Git./config', 'arm/.envrc'])(
    'as %s are not placed but named, and the rest is',
    async (path) => {
      const { pull, stat, folder } = await libraryOf({ ...CONTENTS, [path]: 'run me' });
      expect(await pull()).toMatchObject({ refused: [path] });
      expect(filesIn(folder)).toEqual(CONTENTS);
      expect(await pull()).toMatchObject({ refused: [path], fetched: { files: 0 } });
      expect(await stat()).toMatchObject({ status: 'up-to-date' });
    },
  );

  test('are not named in a pull of assets without them', async () => {
    const { pull } = await libraryOf({ ...CONTENTS, 'leg/.git/config': 'run me' });
    expect(await pull({ assets: ['arm'] })).toMatchObject({ refused: [] });
  });
});

describe('a disk with too little space', () => {
  const PETABYTES = 4 * 10 ** 15;

  test('stops a pull before anything is fetched, and says how much is needed and free', async () => {
    const { pull, service, folder } = await libraryOf();
    service.distort = (manifest) => ({
      ...manifest,
      assets: [{ id: 'arm', files: [{ path: 'arm/arm.xml', size: PETABYTES, sha256: 'a'.repeat(64) }] }],
    });
    await expect(pull()).rejects.toMatchObject({
      name: 'DiskFullError',
      details: {
        folder: realpathSync(folder),
        needed: PETABYTES,
        free: expect.toSatisfy((free) => free > 0 && free < PETABYTES),
      },
    });
    expect(service.counts.objects).toBeUndefined();
    expect(filesIn(folder)).toEqual({});
  });

  test('is named also if everything is in the cache of another disk, and nothing is written to it', async () => {
    const contents = { 'arm/arm.stl': Buffer.alloc(3_000_000, 'mesh'), 'hand/hand.glb': 'hand' };
    const { client } = await startFakeService(contents);
    const options = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder(), retry: RETRY };
    await pullLibrary(client, ARMS, temporaryFolder(), options);
    await using disk = await mountSmallDisk(1_000_000);
    await expect(pullLibrary(client, ARMS, disk.folder, options)).rejects.toMatchObject({
      name: 'DiskFullError',
      details: { folder: realpathSync(disk.folder), needed: 3_000_004 },
    });
    expect(readdirSync(disk.folder)).toEqual([]);
  });
});

describe('obstacles in the target folder', () => {
  test('a link in place of a folder stops the pull and is not entered', async () => {
    const { pull, folder, stat } = await libraryOf();
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'arm'));
    await expect(pull()).rejects.toThrow(/arm is a link or a file here/);
    expect(filesIn(outside)).toEqual({});
    expect(readdirSync(folder)).toEqual(['arm']);
    expect(await stat()).toMatchObject({ status: 'absent', files: 3 });
  });

  test('a link planted while files arrive stops the pull and is not followed', async () => {
    const outside = temporaryFolder();
    const { pull, service, folder } = await libraryOf();
    service.misbehave = ({ send }) => {
      if (!existsSync(join(folder, 'hand'))) symlinkSync(outside, join(folder, 'hand'));
      send();
    };
    await expect(pull()).rejects.toThrow(/hand is a link or a file here/);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a link in place of a file is replaced, and what it points to stays', async () => {
    const outside = folderWith({ precious: 'precious' });
    const { pull, folder } = await libraryOf();
    mkdirSync(join(folder, 'hand'));
    symlinkSync(join(outside, 'precious'), join(folder, 'hand/hand.glb'));
    await pull();
    expect(filesIn(folder)).toEqual(CONTENTS);
    expect(filesIn(outside)).toEqual({ precious: 'precious' });
  });

  test('a folder in place of a file stops the pull before anything is written', async () => {
    const { pull, folder } = await libraryOf();
    writeFiles(folder, { 'hand/hand.glb/mine.txt': 'mine' });
    await expect(pull()).rejects.toThrow(/hand\/hand\.glb is a folder here/);
    expect(filesIn(folder)).toEqual({ 'hand/hand.glb/mine.txt': 'mine' });
  });
});

describe('stat', () => {
  test('reports what a pull would fetch', async () => {
    const { pull, stat, folder, service } = await libraryOf();
    expect(await stat()).toMatchObject({ status: 'absent', files: 3, bytes: 17 });
    await pull({ assets: ['hand'] });
    expect(await stat()).toMatchObject({ status: 'stale', files: 2, bytes: 13, missing: expect.any(Array) });
    expect(await stat({ assets: ['hand'] })).toMatchObject({ status: 'up-to-date', files: 0, bytes: 0 });
    await pull();
    service.resetCounts();
    expect(await stat()).toMatchObject({ status: 'up-to-date' });
    expect(service.counts).toEqual({ arms: 1 });
    writeFiles(folder, { 'hand/hand.glb': 'HAND' });
    expect(await stat()).toMatchObject({ status: 'stale', different: ['hand/hand.glb'] });
  });
});
