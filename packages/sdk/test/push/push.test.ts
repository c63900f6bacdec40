import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { BUNDLE, routes } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { libraryParams, type TransportRequest } from '../../src/index.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { HashCache } from '../../src/tree/hash-cache.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

const MIB = 1024 * 1024;
/** A file that is uploaded in parts. */
const LARGE = { 'scan/cloud.ply': randomBytes(66 * MIB) };
const FILES = { 'arm/arm.xml': '<mujoco/>', 'arm/mesh.obj': 'mesh', 'hand/hand.glb': 'hand' };

async function published(files: Record<string, string> = FILES) {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const folder = folderWith(files);
  await ann.push(folder);
  return { ann, bob, folder };
}

async function manifestOf({ client }: Publisher) {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return JSON.parse(bytes.toString('utf8')) as { assets: { id: string }[]; generated?: string[] };
}

async function idsOf(publisher: Publisher) {
  return (await manifestOf(publisher)).assets.map(({ id }) => id);
}

function uploads({ requests }: Publisher): number {
  return requests.filter((request) => request === 'PUT bytes').length;
}

describe('a push', () => {
  test('publishes a folder, and the next push uploads only what is new', async () => {
    const { ann, folder } = await published();
    expect(await idsOf(ann)).toEqual(['arm', 'hand']);
    writeFiles(folder, { 'leg/leg.glb': 'leg', 'arm/mesh.obj': 'finer mesh' });
    ann.requests.length = 0;
    expect(await ann.push(folder)).toMatchObject({
      status: 'published',
      revision: 2,
      assets: { added: ['leg'], changed: ['arm'], removed: [], unchanged: 1 },
      files: { added: ['leg/leg.glb'], changed: ['arm/mesh.obj'], removed: [], unchanged: 2 },
      upload: { files: 2, bytes: 13 },
    });
    expect(uploads(ann)).toBe(3);
  });

  test('of an unchanged folder registers nothing and reads no manifest', async () => {
    const { ann, folder } = await published();
    await ann.push(folder);
    ann.requests.length = 0;
    expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', revision: 1 });
    expect(ann.requests).toEqual(['GET robots']);
  });

  test('of the same folder from another machine registers nothing', async () => {
    const { bob, folder } = await published();
    expect(await bob.push(folder)).toMatchObject({ status: 'unchanged', revision: 1 });
  });

  test('uploads identical content once, and nothing for a moved file', async () => {
    const { ann, folder } = await published({ 'a/one.bin': 'same', 'b/two.bin': 'same' });
    expect(uploads(ann)).toBe(2);
    rmSync(join(folder, 'b'), { recursive: true });
    writeFiles(folder, { 'c/three.bin': 'same' });
    ann.requests.length = 0;
    expect(await ann.push(folder)).toMatchObject({ upload: { files: 0, bytes: 0 } });
    expect(uploads(ann)).toBe(1);
  });

  test('as a dry run changes nothing, and reports what it would do or why it would stop', async () => {
    const { ann, bob, folder } = await published();
    rmSync(join(folder, 'hand'), { recursive: true });
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({
      status: 'planned',
      revision: 1,
      assets: { added: [], changed: [], removed: ['hand'], unchanged: 1 },
      refusal: null,
    });
    expect(await bob.push(folder, { dryRun: true })).toMatchObject({
      refusal: expect.stringContaining('hand'),
    });
    expect(await idsOf(ann)).toEqual(['arm', 'hand']);
  });

  test('includes bindery.yml, and a pull restores it', async () => {
    const yaml = '# mine\nlibrary: { title: Robots }\nassets: { hand: { title: A hand } }\n';
    const { ann } = await published({ ...FILES, 'bindery.yml': yaml });
    const target = temporaryFolder();
    await pullLibrary(ann.client, ADDRESS, target, ann.options);
    expect(readFileSync(join(target, 'bindery.yml'), 'utf8')).toBe(yaml);
  });

  test('publishes a bindery.yml in which only a comment changed, and its deletion', async () => {
    const { ann, folder } = await published({ ...FILES, 'bindery.yml': '# one\n' });
    writeFiles(folder, { 'bindery.yml': '# two\n' });
    expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 2 });
    rmSync(join(folder, 'bindery.yml'));
    expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 3 });
    expect((await manifestOf(ann)).generated).toBeUndefined();
  });

  test('that would remove published files which a new .gitignore leaves out is refused until someone agrees', async () => {
    const { ann, folder } = await published({ ...FILES, 'arm/id_rsa.txt': 'x', 'log/run.txt': 'log' });
    writeFiles(folder, { '.gitignore': 'log/\n*.obj\n' });
    const withheld = [
      { path: 'arm/mesh.obj', reason: 'ignored', by: '.gitignore:2 (*.obj)' },
      { path: 'log/run.txt', reason: 'ignored', by: '.gitignore:1 (log/)' },
    ];
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({ withheld });
    await expect(ann.push(folder)).rejects.toThrow(
      'This push would remove texts, licences or left-out files of assets that stay:\n  arm/mesh.obj (ignored by .gitignore:2 (*.obj))\n  log/run.txt',
    );
    expect(await ann.push(folder, { include: ['**/*.obj', 'log'] })).toMatchObject({ status: 'unchanged' });
    const agreed = await ann.push(folder, { include: ['arm'], confirmRemovals: async () => {} });
    expect(agreed).toMatchObject({ assets: { removed: ['log'] }, files: { removed: ['log/run.txt'] } });
  });

  test('is refused by its plan for the same reasons as by the service', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    const views = Array.from({ length: 33 }, (_, at) => `view-${at}: { file: arm/arm.xml }`);
    const folder = folderWith({
      'arm/arm.xml': '<mujoco/>',
      'bindery.yml': `assets: { arm: { entryPoints: { ${views.join(', ')} } } }\n`,
    });
    const reason = /cannot be published \(manifest_invalid\):\n {2}.*at most 32 entry points \(received 33\)/;
    await expect(ann.push(folder, { dryRun: true })).rejects.toThrow(reason);
    await expect(ann.push(folder)).rejects.toThrow(reason);
    expect(uploads(ann)).toBe(0);
  });

  test('sets the visibility, even if nothing else changes', async () => {
    const { ann, folder } = await published();
    expect(await ann.push(folder, { visibility: 'public' })).toMatchObject({
      status: 'unchanged',
      visibility: 'public',
    });
    expect(await ann.push(folder)).toMatchObject({ visibility: 'public' });
  });

  test('with --verify reads files instead of trusting cached hashes', async () => {
    const { ann, folder } = await published();
    const { root, assets } = discoverLibrary(folder);
    const hand = assets[1]?.files[0];
    if (hand === undefined) throw new Error('no hand');
    const cache = new HashCache(root, ann.options.cacheFolder);
    cache.record(hand.path, hand, 'f'.repeat(64), 2n ** 62n);
    cache.save();
    expect(await ann.push(folder, { dryRun: true })).toMatchObject({ assets: { changed: ['hand'] } });
    expect(await ann.push(folder, { dryRun: true, verify: true })).toMatchObject({ unchanged: true });
  });
});

describe('a push to a shared library', () => {
  test('does not delete what someone else published in between, unless forced', async () => {
    const { ann, bob, folder } = await published();
    await bob.push(folderWith({ ...FILES, 'leg/leg.glb': 'leg' }));
    writeFiles(folder, { 'head/head.glb': 'head' });
    await expect(ann.push(folder)).rejects.toMatchObject({ name: 'ConflictError', items: ['leg'] });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'leg']);
    await ann.push(folder, { force: true });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'head']);
  });

  test('from a folder that never pushed to it does not delete its assets', async () => {
    const { bob } = await published();
    await expect(bob.push(folderWith({ 'arm/arm.xml': '<mujoco/>' }))).rejects.toMatchObject({
      items: ['hand'],
    });
  });

  test('deletes what the folder pushed before if nobody else pushed in between', async () => {
    const { ann, folder } = await published();
    rmSync(join(folder, 'hand'), { recursive: true });
    expect(await ann.push(folder)).toMatchObject({ revision: 2, assets: { removed: ['hand'] } });
  });

  test('continues from the new revision if someone else registers first', async () => {
    const { ann, bob, folder } = await published();
    writeFiles(folder, { 'head/head.glb': 'head' });
    ann.watch = async ({ url }) => {
      if (!url.endsWith('/register')) return;
      ann.watch = null;
      await bob.push(folderWith({ ...FILES, 'head/head.glb': 'head' }));
    };
    writeFiles(folder, { 'neck/neck.glb': 'neck' });
    expect(await ann.push(folder)).toMatchObject({ revision: 3, assets: { added: ['neck'] } });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'head', 'neck']);
  });

  test('stops if someone else registers first an asset that it would delete', async () => {
    const { ann, bob, folder } = await published();
    writeFiles(folder, { 'head/head.glb': 'head' });
    ann.watch = async ({ url }) => {
      if (!url.endsWith('/register')) return;
      ann.watch = null;
      await bob.push(folderWith({ ...FILES, 'leg/leg.glb': 'leg' }));
    };
    await expect(ann.push(folder)).rejects.toMatchObject({ name: 'ConflictError', items: ['leg'] });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'leg']);
  });
});

describe('small files', () => {
  const SMALL = { 'arm/arm.glb': 'arm', 'hand/hand.glb': 'hand', 'head/head.glb': 'head' };
  const isBundle = ({ url }: { url: string }) => url.endsWith(BUNDLE.path);

  test('are uploaded together in one bundle', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    let bundles = 0;
    ann.watch = (request) => {
      if (isBundle(request)) bundles++;
    };
    await ann.push(folderWith(SMALL));
    expect([bundles, uploads(ann)]).toEqual([1, 4]);
  });

  test('are uploaded one by one if bundles fail, and no more bundles are sent', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    const more = Array.from({ length: 700 }, (_, at) => [`leg/part-${at}.bin`, `leg ${at}`]);
    let bundles = 0;
    ann.watch = (request) => {
      if (!isBundle(request)) return;
      bundles++;
      throw new Error('lost');
    };
    expect(await ann.push(folderWith({ ...SMALL, ...Object.fromEntries(more) }))).toMatchObject({
      revision: 1,
    });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'head', 'leg']);
    expect(bundles).toBeLessThanOrEqual(6);
  });

  test('are not published if one of them changes during the push, and the error names it', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    const folder = folderWith(SMALL);
    for (const content of ['HEAD', 'longer', '']) {
      ann.watch = ({ url }) => {
        if (url.endsWith('/upload-authorizations')) writeFileSync(join(folder, 'head/head.glb'), content);
      };
      writeFiles(folder, { 'head/head.glb': 'head' });
      await expect(ann.push(folder)).rejects.toThrow('head/head.glb changed while it was being pushed');
      await expect(manifestOf(ann)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('an interrupted push', () => {
  test('of many files publishes nothing, and the next push uploads only the rest', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`asset-${at % 9}/${at}.bin`, `content ${at}`]),
    );
    const folder = folderWith(files);
    const controller = new AbortController();
    let bundles = 0;
    ann.watch = ({ method }) => {
      if (method === 'PUT' && ++bundles === 15) controller.abort(new Error('stopped'));
    };
    await expect(ann.push(folder, { signal: controller.signal })).rejects.toThrow('stopped');
    ann.watch = null;
    await expect(manifestOf(ann)).rejects.toMatchObject({ code: 'not_found' });
    ann.requests.length = 0;
    expect(await ann.push(folder)).toMatchObject({
      revision: 1,
      assets: {
        added: Array.from({ length: 9 }, (_, at) => `asset-${at}`),
      },
    });
    expect(uploads(ann)).toBeLessThan(900);
  });

  test('of a large file is resumed without resending finished parts', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    const folder = folderWith(LARGE);
    const controller = new AbortController();
    let sent = 0;
    ann.watch = async ({ method }) => {
      if (method === 'PUT' && ++sent === 6) controller.abort(new Error('stopped'));
    };
    await expect(ann.push(folder, { signal: controller.signal })).rejects.toThrow('stopped');
    ann.watch = null;
    ann.requests.length = 0;
    expect(await ann.push(folder)).toMatchObject({ status: 'published' });
    expect(uploads(ann)).toBeLessThan(6);
  });

  test('that stops at a file changed while it is sent names it and publishes nothing', async () => {
    const { ann, folder } = await published();
    writeFiles(folder, { 'head/head.glb': 'head' });
    ann.watch = ({ url }) => {
      if (url.endsWith('/upload-authorizations')) writeFileSync(join(folder, 'head/head.glb'), 'HEAD');
    };
    await expect(ann.push(folder)).rejects.toThrow('head/head.glb changed while it was being pushed');
    expect(await idsOf(ann)).toEqual(['arm', 'hand']);
  });
});

describe('a file that becomes shorter while it is pushed', () => {
  test.each([
    ['a small file', 300 * 1024, '/upload-authorizations'],
    ['a file that is streamed', 3 * MIB, '/upload-authorizations'],
    ['a file in parts', 66 * MIB, '/upload-authorizations'],
    ['a file that is streamed, when its bytes are on the way', 3 * MIB, '/storage/'],
  ])('is blamed by name, and the service is not: %s', async (_, size, when) => {
    const [ann] = (await publishers(1)) as [Publisher];
    const folder = folderWith({ 'scan/cloud.ply': randomBytes(size) });
    ann.watch = ({ url }) => {
      if (url.includes(when)) truncateSync(join(folder, 'scan/cloud.ply'), 100);
    };
    await expect(ann.push(folder)).rejects.toThrow('scan/cloud.ply changed while it was being pushed');
  });
});

describe('bytes corrupted in transit', () => {
  const SOME = {
    'arm/arm.xml': '<mujoco/>',
    'arm/base.obj': 'base',
    'arm/mesh.bin': randomBytes(300 * 1024),
  };

  /** Lets the last byte of the first `times` bodies arrive as another one. */
  function flip(ann: Publisher, times: number): { flipped: number } {
    const seen = { flipped: 0 };
    ann.watch = (request) => {
      if (request.method !== 'PUT' || seen.flipped >= times) return;
      seen.flipped++;
      request.body = flipped(request.body);
    };
    return seen;
  }

  test.each([
    ['a bundle and a file', SOME, 2],
    ['a part of a large file', LARGE, 1],
  ])('in %s are sent again, and the push succeeds', async (_, files, times) => {
    const [ann] = (await publishers(1)) as [Publisher];
    const seen = flip(ann, times);
    const folder = folderWith(files);
    expect(await ann.push(folder)).toMatchObject({ status: 'published', revision: 1 });
    expect(seen.flipped).toBe(times);
    ann.watch = null;
    const copy = temporaryFolder();
    await pullLibrary(ann.client, ADDRESS, copy, ann.options);
    for (const [path, content] of Object.entries(files)) {
      expect(readFileSync(join(copy, path)).equals(Buffer.from(content))).toBe(true);
    }
  });

  test('on every attempt fail the push, with an error that says the file is unchanged', async () => {
    const [ann] = (await publishers(1)) as [Publisher];
    flip(ann, Number.POSITIVE_INFINITY);
    await expect(ann.push(folderWith(SOME))).rejects.toThrow(
      /with different bytes 3 times, though the file is unchanged/,
    );
    await expect(manifestOf(ann)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a plan for a library in the Trash is refused like a push to it', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith({ 'mug.obj': 'v 0 0 0' });
  await ann.push(folder);
  await ann.client.call(routes.libraries.deleteLibrary, { params: libraryParams(ADDRESS) });
  const refused = { name: 'ApiError', status: 409, code: 'library_in_trash' };
  await expect(ann.push(folder)).rejects.toMatchObject(refused);
  await expect(ann.push(folder, { dryRun: true })).rejects.toMatchObject(refused);
});

test('several pushes of one large file at once all succeed', async () => {
  const people = await publishers(3);
  const folder = folderWith(LARGE);
  const results = await Promise.all(people.map((person) => person.push(folder)));
  for (const { status } of results) expect(['published', 'unchanged']).toContain(status);
});

/** The same body with another last byte. */
function flipped(body: TransportRequest['body']): Buffer | Readable {
  if (body instanceof Readable) return body.pipe(new FlipLast());
  const bytes = Buffer.from(body as Uint8Array);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes;
}

class FlipLast extends Transform {
  #held: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.push(this.#held);
    this.#held = Buffer.from(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    done(null, flipped(this.#held));
  }
}
