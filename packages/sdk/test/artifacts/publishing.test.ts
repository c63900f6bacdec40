import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addAsset } from '../../src/edit/assets.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { pushFolder } from '../../src/push/push.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, ownerAndReader, type Publisher, publishers } from '../push/publisher.ts';
import { FakeEmbeddingModel, FakeRenderer } from './fakes.ts';

const FILES = {
  'bindery.yml': 'assets:\n  arm:\n    title: Arm\n',
  'arm/arm.xml': '<mujoco/>',
  'hand/hand.glb': 'hand',
};

async function twoPeople() {
  return (await publishers(2)) as [Publisher, Publisher];
}

/** Draws at once, and is done with a hand before an arm. */
class HandsFirst extends FakeRenderer {
  readonly #hand = Promise.withResolvers<void>();

  override async render(asset: Parameters<FakeRenderer['render']>[0]) {
    if (asset.entry.startsWith('arm/')) await this.#hand.promise;
    const thumbnail = await super.render(asset);
    this.#hand.resolve();
    return thumbnail;
  }
}

async function thumbnailOf(publisher: Publisher, asset: string): Promise<string> {
  const target = temporaryFolder();
  await pullLibrary(publisher.client, ADDRESS, target, { ...publisher.options, all: true });
  return readFileSync(join(target, `.bindery/thumbs/${asset}.webp`), 'utf8');
}

test('a push with and one without a renderer agree on the pictures of an untouched folder', async () => {
  const [ann] = await twoPeople();
  const folder = folderWith({ ...FILES, 'leg/leg.glb': 'leg', 'leg/preview.png': 'x'.repeat(100_000) });
  const renderer = new FakeRenderer();
  expect(await ann.push(folder, { renderer })).toMatchObject({ revision: 1, thumbnails: { resized: 1 } });
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', revision: 1 });
  expect(await ann.push(folder, { renderer })).toMatchObject({ status: 'unchanged', revision: 1 });
  expect(await thumbnailOf(ann, 'leg')).toMatch(/^1:/);
  writeFiles(folder, { 'leg/leg.glb': 'longer leg' });
  expect(await ann.push(folder)).toMatchObject({ revision: 2, assets: { changed: ['leg'] } });
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged' });
});

test('replacing an asset by the same files keeps the picture that was made of its large one', async () => {
  const [ann] = await twoPeople();
  const folder = folderWith({ ...FILES, 'leg/leg.glb': 'leg', 'leg/preview.png': 'x'.repeat(100_000) });
  await ann.push(folder, { renderer: new FakeRenderer() });
  await addAsset(ann.client, ADDRESS, join(folder, 'leg'), { ...ann.options, replace: true });
  expect(await thumbnailOf(ann, 'leg')).toMatch(/^1:/);
});

describe('a push with a renderer and a model', () => {
  test('creates each thumbnail and vector once, even if someone else registers first', async () => {
    const [ann, bob] = await twoPeople();
    const folder = folderWith(FILES);
    await ann.push(folder);
    writeFiles(folder, { 'head/head.glb': 'head' });
    ann.watch = async ({ url }) => {
      if (!url.endsWith('/register')) return;
      ann.watch = null;
      await bob.push(folderWith({ ...FILES, 'hand/hand.glb': 'another hand' }));
    };
    const renderer = new FakeRenderer();
    const model = new FakeEmbeddingModel();
    expect(await ann.push(folder, { renderer, model, force: true })).toMatchObject({
      revision: 3,
      thumbnails: { rendered: 3, cached: 0 },
    });
    expect(renderer.drawn.sort()).toEqual(['arm/arm.xml', 'hand/hand.glb', 'head/head.glb']);
    expect(model.encoded).toBe(4);
  });

  test('renders nothing if the namespace does not exist', async () => {
    const [ann] = await twoPeople();
    const renderer = new FakeRenderer();
    const nowhere = { namespace: 'nobody', name: 'robots' };
    const push = pushFolder(ann.client, nowhere, folderWith(FILES), { ...ann.options, renderer });
    await expect(push).rejects.toMatchObject({ code: 'not_found' });
    expect(renderer.drawn).toEqual([]);
  });

  test('renders and embeds nothing if the viewer is not allowed to push to the library', async () => {
    const [ann, bob] = await ownerAndReader();
    await ann.push(folderWith(FILES), { visibility: 'public' });
    const renderer = new FakeRenderer();
    const model = new FakeEmbeddingModel();
    const push = bob.push(folderWith({ ...FILES, 'head/head.glb': 'head' }), { renderer, model });
    await expect(push).rejects.toMatchObject({ code: 'forbidden' });
    expect([renderer.drawn, model.encoded]).toEqual([[], 0]);
  });

  test('renders thumbnails again with another version of the renderer', async () => {
    const [ann] = await twoPeople();
    const folder = folderWith(FILES);
    await ann.push(folder, { renderer: new FakeRenderer('1') });
    const second = await ann.push(folder, { renderer: new FakeRenderer('2') });
    expect(second).toMatchObject({ status: 'published', thumbnails: { rendered: 2, cached: 0 } });
    expect(await thumbnailOf(ann, 'hand')).toBe('2:hand');
  });

  test('reports what incomplete thumbnails lack, whether rendered now or cached', async () => {
    const [ann] = await twoPeople();
    const folder = folderWith(FILES);
    const renderer = new HandsFirst();
    const named = [{ name: 'finger.stl', reason: 'no such file' }];
    renderer.omissions = { meshes: { total: 7, missing: 1, named } };
    const incomplete = ['arm', 'hand'].map((asset) => ({ asset, omissions: renderer.omissions }));
    const first = await ann.push(folder, { renderer });
    expect(first.thumbnails).toMatchObject({ rendered: 2, cached: 0, incomplete });
    expect(await thumbnailOf(ann, 'hand')).toBe('1:hand');
    const second = await ann.push(folder, { renderer });
    expect(second).toMatchObject({ status: 'unchanged', thumbnails: { rendered: 0, cached: 2, incomplete } });
    expect(renderer.drawn).toHaveLength(2);
  });

  test('renders again after a transient failure, but not after a permanent one', async () => {
    const [ann] = await twoPeople();
    const folder = folderWith(FILES);
    const renderer = new FakeRenderer();
    renderer.refusal = { warning: 'took too long', transient: true };
    await ann.push(folder, { renderer });
    renderer.refusal = { warning: 'is broken' };
    await ann.push(folder, { renderer });
    expect(renderer.drawn).toHaveLength(4);
    const third = await ann.push(folder, { renderer });
    expect(renderer.drawn).toHaveLength(4);
    expect(third.thumbnails?.warnings).toEqual([
      { asset: 'arm', warning: 'is broken' },
      { asset: 'hand', warning: 'is broken' },
    ]);
  });

  test('says what with a picture was not measured in time, and measures it in the next push', async () => {
    const [ann] = await twoPeople();
    const folder = folderWith({ 'leg/leg.glb': 'leg', 'leg/preview.png': 'small' });
    const renderer = new FakeRenderer();
    renderer.measures = true;
    renderer.refusal = { warning: 'took too long', transient: true };
    const first = await ann.push(folder, { renderer });
    expect(first.thumbnails?.unmeasured).toEqual([{ asset: 'leg', warning: 'took too long' }]);
    renderer.refusal = null;
    const second = await ann.push(folder, { renderer });
    expect(second).toMatchObject({ status: 'published', thumbnails: { unmeasured: [] } });
  });

  test('caches vectors by the version of the model that computed them', async () => {
    const [ann] = await twoPeople();
    const folder = folderWith(FILES);
    const encodedBy = async (library: string, version: string) => {
      const model = new FakeEmbeddingModel({ version });
      await pushFolder(ann.client, { ...ADDRESS, name: library }, folder, { ...ann.options, model });
      return model.encoded;
    };
    expect(await encodedBy('first', '1')).toBe(1);
    expect(await encodedBy('second', '1')).toBe(0);
    expect(await encodedBy('third', '2')).toBe(1);
    expect(await encodedBy('fourth', '2')).toBe(0);
  });

  test("does not cache the library's existing vectors as those of its own model version", async () => {
    const [ann, bob] = await twoPeople();
    const folder = folderWith(FILES);
    await ann.push(folder, { model: new FakeEmbeddingModel({ version: '1' }) });
    const model = new FakeEmbeddingModel({ version: '2' });
    await bob.push(folder, { model, force: true });
    expect(model.encoded).toBe(0);
    await pushFolder(bob.client, { ...ADDRESS, name: 'elsewhere' }, folder, { ...bob.options, model });
    expect(model.encoded).toBe(1);
  });

  test('publishes nothing if the model returns vectors whose length is not 1', async () => {
    const [ann] = await twoPeople();
    const pushed = ann.push(folderWith(FILES), { model: new FakeEmbeddingModel({ length: 0.5 }) });
    await expect(pushed).rejects.toThrow('whose length is not 1');
    expect(ann.requests).toEqual(['GET robots', 'GET ann', 'POST upload-authorizations']);
  });
});

describe('artifacts of unchanged assets', () => {
  test("are those of the previous revision, even if someone else's unfinished push uploaded others", async () => {
    const [ann, bob] = await twoPeople();
    const folder = folderWith(FILES);
    await ann.push(folder, { renderer: new FakeRenderer('ann') });
    bob.watch = ({ url }) => {
      if (url.endsWith('/register')) throw new Error('the power went');
    };
    const unfinished = bob.push(folderWith(FILES), { renderer: new FakeRenderer('bob') });
    await expect(unfinished).rejects.toThrow('the power went');
    writeFiles(folder, { 'head/head.glb': 'head' });
    await ann.push(folder);
    expect(await thumbnailOf(ann, 'hand')).toBe('ann:hand');
  });
});
