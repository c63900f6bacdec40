import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  bindery,
  type CommandOptions,
  type Served,
  serve,
  spawnBindery,
  temporaryFolder,
} from './bindery.ts';

/** Real libraries, where they lie beside the repository. */
const LIBRARIES = fileURLToPath(new URL('../../shared/data', import.meta.url));
const CUBE = [
  ...[-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => `v ${x} ${y} ${z}`))),
  ...['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'].map((corners) => `f ${corners}`),
].join('\n');

let service: Served;
let token: string;

beforeAll(async () => {
  service = await serve();
  const data = ['--data-dir', service.dataDir];
  const email = ['--email', 'ada@example.org'];
  const input = 'correct horse battery\n';
  await bindery(['admin', 'create-user', 'ada', ...email, '--password-stdin', ...data], { input });
  const made = await bindery(['admin', 'create-token', 'ada', '--scope', 'write', '--json', ...data]);
  token = JSON.parse(made.stdout).token;
});

afterAll(() => service?.dispose());

/** A person with a folder to publish, and caches of their own. */
async function author(files: Record<string, string>) {
  const home = await temporaryFolder();
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const folder = join(home, 'shapes');
  const env = {
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    BINDERY_API_URL: service.url,
    BINDERY_TOKEN: token,
  };
  const write = async (more: Record<string, string>) => {
    for (const [path, text] of Object.entries(more)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  };
  await write(files);
  return { home, folder, env, write, ...commandsOf(folder, env) };
}

function commandsOf(folder: string, env: CommandOptions['env'] = {}) {
  const types = async (...words: string[]) => {
    const ended = await bindery(['library', ...words, '--json'], { env });
    if (ended.exitCode !== 0) throw new Error(ended.stderr);
    return JSON.parse(ended.stdout);
  };
  return {
    types,
    push: (library: string, ...words: string[]) => types('push', folder, library, ...words),
    manifest: async (library: string) => {
      const [namespace, name] = library.split('/');
      const answer = await fetch(`${service.url}/namespaces/${namespace}/libraries/${name}/manifest`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return (await answer.json()) as Manifest;
    },
    pullAll: async (library: string) => {
      const target = join(await temporaryFolder(), 'pulled');
      onTestFinished(() => rm(dirname(target), { recursive: true, force: true }));
      await types('pull', library, '-o', target, '--all');
      return target;
    },
  };
}

interface Manifest {
  assets: { id: string; thumbnail?: string }[];
  generated?: string[];
}

function thumbnailsIn({ assets }: Manifest): Record<string, string | undefined> {
  return Object.fromEntries(assets.map(({ id, thumbnail }) => [id, thumbnail]));
}

describe('push --thumbnails', () => {
  test('draws what brings none, keeps what the author brings, and names what cannot be drawn', async () => {
    const { push, manifest, pullAll } = await author({
      'cube/cube.obj': CUBE,
      'pictured/cube.obj': CUBE,
      'pictured/thumbnail.png': 'of the author',
      'broken/broken.glb': 'no glb',
      'notes.txt': 'about shapes',
    });
    const pushed = await push('ada/first', '--thumbnails');
    expect(pushed.thumbnails).toEqual({
      authored: 1,
      rendered: 1,
      cached: 0,
      warnings: [
        { asset: 'broken', warning: expect.stringContaining('glTF') },
        { asset: 'notes.txt', warning: 'has no file that a viewer would open' },
      ],
    });
    const published = await manifest('ada/first');
    expect(published.generated).toEqual(['.bindery/thumbs/cube.webp']);
    expect(thumbnailsIn(published)).toEqual({
      cube: '.bindery/thumbs/cube.webp',
      pictured: 'pictured/thumbnail.png',
    });
    const picture = await readFile(join(await pullAll('ada/first'), '.bindery/thumbs/cube.webp'));
    expect(picture.subarray(8, 12).toString()).toBe('WEBP');
  });

  test('draws nothing a second time, and changes nothing', async () => {
    const { push } = await author({ 'cube/cube.obj': CUBE, 'broken/broken.glb': 'no glb' });
    await push('ada/again', '--thumbnails');
    const second = await push('ada/again', '--thumbnails');
    expect(second).toMatchObject({
      status: 'unchanged',
      revision: 1,
      thumbnails: { rendered: 0, cached: 1, warnings: [{ asset: 'broken' }] },
    });
  });

  test('gives the same bytes on a machine that never drew them', async () => {
    const { push, home, pullAll } = await author({ 'cube/cube.obj': CUBE });
    await push('ada/same', '--thumbnails');
    await rm(join(home, 'cache'), { recursive: true });
    const anew = await push('ada/same', '--thumbnails');
    expect(anew).toMatchObject({ status: 'unchanged', thumbnails: { rendered: 1, cached: 0 } });
    expect(await readdir(join(await pullAll('ada/same'), '.bindery/thumbs'))).toEqual(['cube.webp']);
  });

  test('draws again what lies damaged in the cache', async () => {
    const { push, home } = await author({ 'cube/cube.obj': CUBE });
    await push('ada/damaged', '--thumbnails');
    const cache = join(home, 'cache/bindery/thumbnails');
    const [drawn = ''] = (await readdir(cache, { recursive: true })).filter((name) => name.includes('/'));
    await writeFile(join(cache, drawn), (await readFile(join(cache, drawn))).subarray(0, 1_000));
    const second = await push('ada/damaged', '--thumbnails');
    expect(second).toMatchObject({ status: 'unchanged', thumbnails: { rendered: 1, cached: 0 } });
  });

  test('says with --dry-run what it would draw, and draws nothing', async () => {
    const { push, home } = await author({ 'cube/cube.obj': CUBE });
    const plan = await push('ada/planned', '--thumbnails', '--dry-run');
    expect(plan).toMatchObject({ status: 'planned', thumbnails: { rendered: 1, cached: 0 } });
    expect(existsSync(join(home, 'cache/bindery/thumbnails'))).toBe(false);
  });

  test('stops at Ctrl-C in the middle, and publishes nothing', async () => {
    const shapes = Array.from({ length: 400 }, (_, at) => [`s${at}/cube.obj`, `${CUBE}\n# ${at}`]);
    const { folder, env, types } = await author(Object.fromEntries(shapes));
    const child = spawnBindery(['library', 'push', folder, 'ada/interrupted', '--thumbnails'], { env });
    while ((await drawnIn(env.XDG_CACHE_HOME)) === 0 && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGINT');
    await once(child, 'close');
    expect(child.exitCode).toBe(130);
    await expect(types('info', 'ada/interrupted')).rejects.toThrow('not_found');
  });
});

async function drawnIn(cache: string): Promise<number> {
  const names = await readdir(join(cache, 'bindery/thumbnails'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('/')).length;
}

describe('a push without --thumbnails', () => {
  test('keeps drawn thumbnails of what has not changed, and drops the others', async () => {
    const { push, write, manifest, folder, pullAll } = await author({
      'cube/cube.obj': CUBE,
      'tower/tower.obj': CUBE,
      'gone/gone.obj': CUBE,
    });
    await push('ada/carried', '--thumbnails');
    await write({ 'tower/tower.obj': `${CUBE}\nv 0 0 9` });
    await rm(join(folder, 'gone'), { recursive: true });
    const pushed = await push('ada/carried');
    expect(pushed).toMatchObject({ status: 'published', thumbnails: null });
    const published = await manifest('ada/carried');
    expect(published.generated).toEqual(['.bindery/thumbs/cube.webp']);
    expect(thumbnailsIn(published)).toEqual({ cube: '.bindery/thumbs/cube.webp' });
    expect(await readdir(join(await pullAll('ada/carried'), '.bindery/thumbs'))).toEqual(['cube.webp']);
  });
});

describe('add and rm', () => {
  test('draw one asset, keep its picture when it is added again as it is, and drop it with the asset', async () => {
    const { push, types, manifest, home } = await author({ 'cube/cube.obj': CUBE });
    await push('ada/edited');
    const slab = join(home, 'slab');
    await mkdir(slab);
    await writeFile(join(slab, 'slab.obj'), CUBE);
    const added = await types('add', 'ada/edited', slab, '--thumbnails');
    expect(added).toMatchObject({
      asset: { thumbnail: '.bindery/thumbs/slab.webp' },
      thumbnails: { rendered: 1, warnings: [] },
    });
    await types('add', 'ada/edited', slab, '--replace');
    expect((await manifest('ada/edited')).generated).toEqual(['.bindery/thumbs/slab.webp']);
    await types('rm', 'ada/edited', 'slab', '--yes');
    expect((await manifest('ada/edited')).generated).toBeUndefined();
  });
});

describe.runIf(existsSync(LIBRARIES))('real libraries', () => {
  test('every asset gets a thumbnail or a warning with its name', { timeout: 600_000 }, async () => {
    const { home, types } = await author({});
    const names = (await readdir(LIBRARIES)).filter((name) => name.endsWith('-dev'));
    expect(names).toHaveLength(5);
    for (const name of names) {
      const folder = join(home, name);
      await cp(join(LIBRARIES, name), folder, { recursive: true });
      const pushed = await types('push', folder, `ada/${name}`, '--thumbnails');
      const { authored, rendered, cached, warnings } = pushed.thumbnails;
      const named = new Set(warnings.map(({ asset }: { asset: string }) => asset));
      expect(authored + rendered + cached + named.size, name).toBe(pushed.assets.added.length);
    }
  });
});
