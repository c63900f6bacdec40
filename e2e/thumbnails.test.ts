import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Author, createAuthor, cube, type PublishedManifest } from './author.ts';
import { type RunningService, serve, spawnBindery } from './bindery.ts';

/** Real libraries, if they are next to the repository. */
const LIBRARIES = fileURLToPath(new URL('../../shared/data', import.meta.url));

let service: RunningService;
let token: string;
const author = (files: Record<string, string>) => Author.create(service, token, files);

beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});

afterAll(() => service?.dispose());

function thumbnailsIn({ assets }: PublishedManifest): Record<string, string | undefined> {
  return Object.fromEntries(assets.map(({ id, thumbnail }) => [id, thumbnail]));
}

describe('push --thumbnails', () => {
  test("draws missing thumbnails, keeps the author's, and names assets that cannot be drawn", async () => {
    const ada = await author({
      'cube/cube.obj': cube(),
      'pictured/cube.obj': cube(),
      'pictured/thumbnail.png': 'of the author',
      'broken/broken.glb': 'no glb',
      'shapes.csv': 'sides,12',
    });
    const pushed = await ada.push('ada/first', '--thumbnails');
    expect(pushed.thumbnails).toEqual({
      authored: 1,
      resized: 0,
      rendered: 1,
      cached: 0,
      warnings: [
        { asset: 'broken', warning: expect.stringContaining('glTF') },
        { asset: 'shapes.csv', warning: 'has no file that a viewer would open' },
      ],
      incomplete: [],
      unmeasured: [],
    });
    const published = await ada.manifest('ada/first');
    expect(published.generated).toEqual(['.bindery/thumbs/cube.webp']);
    expect(thumbnailsIn(published)).toEqual({
      cube: '.bindery/thumbs/cube.webp',
      pictured: 'pictured/thumbnail.png',
    });
    const picture = await readFile(join(await ada.pullAll('ada/first'), '.bindery/thumbs/cube.webp'));
    expect(picture.subarray(8, 12).toString()).toBe('WEBP');
  });

  test('names the meshes missing from a thumbnail, even if it comes from the cache', async () => {
    const arm = `<robot name="arm"><link name="base">
      <visual><geometry><box size="1 1 1"/></geometry></visual>
      <visual><geometry><mesh filename="package://arm/lost.stl"/></geometry></visual></link></robot>`;
    const ada = await author({ 'arm/arm.urdf': arm });
    const named = [{ name: 'package://arm/lost.stl', reason: 'no such file' }];
    const incomplete = [{ asset: 'arm', omissions: { meshes: { total: 1, missing: 1, named } } }];
    expect((await ada.push('ada/incomplete', '--thumbnails')).thumbnails).toMatchObject({
      rendered: 1,
      incomplete,
    });
    expect((await ada.push('ada/incomplete', '--thumbnails')).thumbnails).toMatchObject({
      cached: 1,
      incomplete,
    });
  });

  test('draws nothing the second time, and publishes no revision', async () => {
    const ada = await author({ 'cube/cube.obj': cube(), 'broken/broken.glb': 'no glb' });
    await ada.push('ada/again', '--thumbnails');
    const second = await ada.push('ada/again', '--thumbnails');
    expect(second).toMatchObject({
      status: 'unchanged',
      revision: 1,
      thumbnails: { rendered: 0, cached: 1, warnings: [{ asset: 'broken' }] },
    });
  });

  test('draws the same bytes on a machine with an empty cache', async () => {
    const ada = await author({ 'cube/cube.obj': cube() });
    await ada.push('ada/same', '--thumbnails');
    await rm(join(ada.home, 'cache'), { recursive: true });
    const anew = await ada.push('ada/same', '--thumbnails');
    expect(anew).toMatchObject({ status: 'unchanged', thumbnails: { rendered: 1, cached: 0 } });
    expect(await readdir(join(await ada.pullAll('ada/same'), '.bindery/thumbs'))).toEqual(['cube.webp']);
  });

  test('redraws a thumbnail that is damaged in the cache', async () => {
    const ada = await author({ 'cube/cube.obj': cube() });
    await ada.push('ada/damaged', '--thumbnails');
    const cache = join(ada.home, 'cache/bindery/thumbnails');
    const [drawn = ''] = (await readdir(cache, { recursive: true })).filter((name) => name.includes('/'));
    await writeFile(join(cache, drawn), (await readFile(join(cache, drawn))).subarray(0, 1_000));
    const second = await ada.push('ada/damaged', '--thumbnails');
    expect(second).toMatchObject({ status: 'unchanged', thumbnails: { rendered: 1, cached: 0 } });
  });

  test('reports with --dry-run what it would draw, and draws nothing', async () => {
    const ada = await author({ 'cube/cube.obj': cube() });
    const plan = await ada.push('ada/planned', '--thumbnails', '--dry-run');
    expect(plan).toMatchObject({ status: 'planned', thumbnails: { rendered: 1, cached: 0 } });
    expect(existsSync(join(ada.home, 'cache/bindery/thumbnails'))).toBe(false);
  });

  test('stops on Ctrl-C while drawing, and publishes nothing', async () => {
    const shapes = Array.from({ length: 400 }, (_, at) => [`s${at}/cube.obj`, `${cube()}\n# ${at}`]);
    const ada = await author(Object.fromEntries(shapes));
    const child = spawnBindery(['library', 'push', ada.folder, 'ada/interrupted', '--thumbnails'], {
      env: ada.env,
    });
    while ((await drawnIn(join(ada.home, 'cache'))) === 0 && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGINT');
    await once(child, 'close');
    expect(child.exitCode).toBe(130);
    await expect(ada.run('info', 'ada/interrupted')).rejects.toThrow('not_found');
  });
});

async function drawnIn(cache: string): Promise<number> {
  const names = await readdir(join(cache, 'bindery/thumbnails'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes('/')).length;
}

describe('a push without --thumbnails', () => {
  test('keeps generated thumbnails of unchanged assets, and drops the others', async () => {
    const ada = await author({
      'cube/cube.obj': cube(),
      'tower/tower.obj': cube(),
      'gone/gone.obj': cube(),
    });
    await ada.push('ada/carried', '--thumbnails');
    await ada.write({ 'tower/tower.obj': `${cube()}\nv 0 0 9` });
    await rm(join(ada.folder, 'gone'), { recursive: true });
    const pushed = await ada.push('ada/carried');
    expect(pushed).toMatchObject({ status: 'published', thumbnails: null });
    const published = await ada.manifest('ada/carried');
    expect(published.generated).toEqual(['.bindery/thumbs/cube.webp']);
    expect(thumbnailsIn(published)).toEqual({ cube: '.bindery/thumbs/cube.webp' });
    expect(await readdir(join(await ada.pullAll('ada/carried'), '.bindery/thumbs'))).toEqual(['cube.webp']);
  });
});

describe('add and rm', () => {
  test('draw a thumbnail, keep it when the asset is added again unchanged, and remove it with the asset', async () => {
    const ada = await author({ 'cube/cube.obj': cube() });
    await ada.push('ada/edited');
    const slab = join(ada.home, 'slab');
    await mkdir(slab);
    await writeFile(join(slab, 'slab.obj'), cube());
    const added = await ada.run('add', 'ada/edited', slab, '--thumbnails');
    expect(added).toMatchObject({
      asset: { thumbnail: '.bindery/thumbs/slab.webp' },
      thumbnails: { rendered: 1, warnings: [] },
    });
    await ada.run('add', 'ada/edited', slab, '--replace');
    expect((await ada.manifest('ada/edited')).generated).toEqual(['.bindery/thumbs/slab.webp']);
    await ada.run('rm', 'ada/edited', 'slab', '--yes');
    expect((await ada.manifest('ada/edited')).generated).toBeUndefined();
  });
});

describe.runIf(existsSync(LIBRARIES))('real libraries', () => {
  test('every asset gets a thumbnail or a warning with its name', { timeout: 600_000 }, async () => {
    const ada = await author({});
    const names = (await readdir(LIBRARIES)).filter((name) => name.endsWith('-dev'));
    expect(names).toHaveLength(5);
    for (const name of names) {
      const folder = join(ada.home, name);
      await cp(join(LIBRARIES, name), folder, { recursive: true });
      const pushed = await ada.run('push', folder, `ada/${name}`, '--thumbnails');
      const { authored, resized, rendered, cached, warnings } = pushed.thumbnails;
      const named = new Set(warnings.map(({ asset }: { asset: string }) => asset));
      expect(authored + resized + rendered + cached + named.size, name).toBe(pushed.assets.added.length);
    }
  });
});
