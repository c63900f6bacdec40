import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportLibrary } from '../../src/export/export-library.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { pushFolder } from '../../src/push/push.ts';
import { temporaryFolder } from '../folder.ts';
import { createWorld } from '../project-assets/world.ts';

const CURATION = `library: { title: Kitchen, license: MIT }
assets:
  mug: { title: A mug, attribution: Ada }
  jug: { license: GPL-3.0-only }
`;
const KITCHEN = { 'bindery.yml': CURATION, 'mug/mug.obj': 'o mug', 'jug/jug.obj': 'o jug' };
const ROBOTS = { 'arm/arm.obj': 'o arm' };
const VERSION = '1.2.3';

async function syncedProject() {
  const service = await createWorld();
  await service.publish('kitchen', KITCHEN);
  await service.publish('robots', ROBOTS);
  await service.release('kitchen', 'v1');
  const ann = service.machine();
  ann.uses('ann/kitchen@v1/mug', '{ use: ann/robots/arm, as: gripper }');
  await ann.sync();
  return { service, ann };
}

const credits = { version: VERSION };
const page = (folder: string) => readFileSync(join(folder, 'CREDITS.md'), 'utf8');
const document = (folder: string) => readFileSync(join(folder, 'CREDITS.spdx.json'), 'utf8');

describe('a sync with credits', () => {
  test('writes credits next to the assets without a request, and names assets without a licence', async () => {
    const { ann } = await syncedProject();
    ann.requests = 0;
    const { folder, credits: written } = await ann.sync({ credits, frozen: true });
    expect(ann.requests).toBe(0);
    expect(written).toEqual({
      files: [join(folder, 'CREDITS.md'), join(folder, 'CREDITS.spdx.json')],
      unlicensed: ['ann/robots/arm'],
    });
    expect(page(folder)).toMatch(
      /^<!-- Written by Bindery.*\n# Credits\n[\s\S]*- Kitchen: Revision 1 of `ann\/kitchen`, release `v1`\n/,
    );
    expect(page(folder)).toMatch(/## No licence stated\n\n### arm\n\n- Asset: ann\/robots\/arm\n/);
    expect(page(folder)).toMatch(/## MIT\n\n### A mug\n\n- Asset: ann\/kitchen\/mug\n- By: Ada\n/);
    expect(page(folder)).not.toContain('jug');
    const { packages, creationInfo } = JSON.parse(document(folder));
    expect(packages).toMatchObject([
      { name: 'ann/kitchen/mug', versionInfo: 'v1', licenseDeclared: 'MIT', copyrightText: 'Ada' },
      { name: 'ann/robots/arm', versionInfo: 'revision 1', licenseDeclared: 'NOASSERTION' },
    ]);
    expect(creationInfo.creators).toEqual(['Tool: bindery-1.2.3']);
  });

  test('rewrites the SPDX file only if the assets change or a creation time is given', async () => {
    const { ann } = await syncedProject();
    const { folder } = await ann.sync({ credits });
    const earlier = document(folder).replace(/"created": "[^"]+"/, '"created": "2001-02-03T04:05:06Z"');
    writeFileSync(join(folder, 'CREDITS.spdx.json'), earlier);
    await ann.sync({ credits });
    expect(document(folder)).toBe(earlier);
    await ann.sync({ credits: { ...credits, created: '2010-01-01T00:00:00.000Z' } });
    expect(JSON.parse(document(folder)).creationInfo.created).toBe('2010-01-01T00:00:00Z');
    ann.uses('ann/kitchen@v1/mug');
    await ann.sync({ credits });
    const { creationInfo, packages } = JSON.parse(document(folder));
    expect(packages).toHaveLength(1);
    expect(Date.parse(creationInfo.created)).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  test('makes no request to the service if it has a mirror', async () => {
    const { service, ann } = await syncedProject();
    const folder = temporaryFolder();
    const release = { namespace: 'ann', name: 'kitchen', release: 'v1' };
    await exportLibrary(service.client, release, folder, {
      cacheFolder: join(ann.home, 'cache'),
      stateFolder: join(ann.home, 'state'),
    });
    const bob = service.machine();
    ann.uses('ann/kitchen@v1/mug');
    await ann.sync();
    bob.write({ 'assets.lock': ann.read('assets.lock') });
    const mirror = openMirror(folder);
    const synced = await bob.sync({ frozen: true, credits, mirror });
    await mirror.close();
    expect(bob.requests).toBe(0);
    expect(page(synced.folder)).toContain(
      '# Credits of Kitchen\n\nRevision 1 of `ann/kitchen`, release `v1`. ',
    );
  });

  test('stops before it writes anything if a credits file is not its own or is a link', async () => {
    const { ann } = await syncedProject();
    const elsewhere = join(temporaryFolder(), 'mine.md');
    for (const name of ['CREDITS.md', 'CREDITS.spdx.json']) {
      const file = join(ann.project, 'assets', name);
      writeFileSync(file, '{"mine": true}');
      ann.uses('ann/kitchen@v1/*');
      await expect(ann.sync({ credits })).rejects.toMatchObject({ items: [name] });
      expect(existsSync(join(ann.project, 'assets/ann/kitchen/jug'))).toBe(false);
      rmSync(file);
      symlinkSync(elsewhere, file);
      await expect(ann.sync({ credits })).rejects.toMatchObject({ items: [name] });
      expect(existsSync(elsewhere)).toBe(false);
      rmSync(file);
    }
  });
});

describe('a pull with credits', () => {
  async function pulled(more: { assets?: string[]; files?: Record<string, string> } = {}) {
    const service = await createWorld();
    await service.publish('kitchen', { ...KITCHEN, ...more.files });
    const { home } = service.machine();
    const parts = { cacheFolder: join(home, 'cache'), stateFolder: join(home, 'state') };
    const address = { namespace: 'ann', name: 'kitchen' };
    const folder = temporaryFolder();
    const { assets } = more;
    const pull = () => pullLibrary(service.client, address, folder, { ...parts, credits, assets });
    const push = () => pushFolder(service.client, address, folder, parts);
    return { folder, pull, push };
  }

  test('credits only the pulled assets, dated when they were published', async () => {
    const { folder, pull } = await pulled({ assets: ['j*'] });
    expect((await pull()).credits?.unlicensed).toEqual([]);
    expect(page(folder)).toMatch(/# Credits of Kitchen\n[\s\S]*## GPL-3.0-only\n\n### jug/);
    expect(page(folder)).not.toContain('mug');
    const before = document(folder);
    expect(page(folder)).toContain(`published ${JSON.parse(before).creationInfo.created.slice(0, -1)}`);
    await pull();
    expect(document(folder)).toBe(before);
  });

  test('leaves a folder from which a push has nothing to publish', async () => {
    const { pull, push } = await pulled();
    await pull();
    expect(await push()).toMatchObject({ status: 'unchanged', revision: 1 });
  });

  test('stops before it replaces a file of the library', async () => {
    const { folder, pull } = await pulled({
      files: {
        'bindery.yml': `${CURATION}  page: { files: [credits.md] }\n`,
        'credits.md': 'the own credits of the library',
      },
    });
    await expect(pull()).rejects.toMatchObject({ items: ['credits.md'] });
    expect(existsSync(join(folder, 'mug'))).toBe(false);
  });
});
