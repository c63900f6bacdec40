import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { downloadManifest } from '../../src/library/read-library.ts';
import { type PullOptions, pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

const FILES = { 'arm/arm.xml': '<mujoco/>', 'hand/hand.glb': 'hand', 'leg/leg.glb': 'leg' };

/** A `bindery.yml` as people write it, with comments of their own. */
function yaml({ arm = 'Arm', hand = 'Hand', note = 'ours' } = {}): string {
  return `# ${note}
library: { title: Robots }
assets:
  arm: { title: ${arm} }
  # The left one.
  hand:
    title: ${hand}
    license: MIT
`;
}

/** Ann and Bob, who have both pulled a library of three assets. */
async function pulledTwice() {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  await ann.push(folderWith({ ...FILES, 'bindery.yml': yaml() }));
  const [hers, his] = [temporaryFolder(), temporaryFolder()];
  const pull = (someone: Publisher, folder: string, more: Partial<PullOptions> = {}) =>
    pullLibrary(someone.client, ADDRESS, folder, { ...someone.options, ...more });
  await pull(ann, hers);
  await pull(bob, his);
  /** What Bob publishes meanwhile. */
  const bobPushes = async (files: Record<string, string>) => {
    await pull(bob, his);
    writeFiles(his, files);
    await bob.push(his, { confirmRemovals: async () => {} });
  };
  return { ann, bob, hers, his, pull, bobPushes, curation: (at = hers) => read(at, 'bindery.yml') };
}

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

async function titles({ client }: Publisher): Promise<Record<string, unknown>> {
  const { manifest } = await downloadManifest(client, ADDRESS);
  return Object.fromEntries(manifest.assets.map(({ id, title }) => [id, title]));
}

describe('two people who edit one bindery.yml', () => {
  test('each at another asset, publish both after a pull, with the comments of both', async () => {
    const { ann, hers, pull, bobPushes, curation } = await pulledTwice();
    await bobPushes({ 'bindery.yml': `${yaml({ hand: 'Left hand' })}# Bob was here.\n` });
    writeFiles(hers, { 'bindery.yml': yaml({ arm: 'Left arm', note: 'mine' }) });
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['hand', 'bindery.yml'] });
    expect(await pull(ann, hers)).toMatchObject({
      merged: { file: 'bindery.yml', conflicts: [] },
      edited: [],
      setAside: null,
    });
    expect(curation()).toBe(`${yaml({ arm: 'Left arm', hand: 'Left hand', note: 'mine' })}# Bob was here.\n`);
    expect(await ann.push(hers)).toMatchObject({ status: 'published', overwritten: [] });
    expect(await titles(ann)).toMatchObject({ arm: 'Left arm', hand: 'Left hand' });
  });

  test('at the same value are told both versions, and one of them is published when it has been chosen', async () => {
    const { ann, hers, pull, bobPushes, curation } = await pulledTwice();
    await bobPushes({ 'bindery.yml': yaml({ arm: 'Arm of Bob', hand: 'Hand of Bob' }) });
    writeFiles(hers, { 'bindery.yml': yaml({ arm: 'Arm of Ann' }) });
    const conflicts = [{ path: ['assets', 'arm', 'title'], mine: 'Arm of Ann', theirs: 'Arm of Bob' }];
    expect(await pull(ann, hers, { keep: true })).toMatchObject({ merged: { conflicts } });
    expect(curation()).toBe(yaml({ arm: 'Arm of Ann', hand: 'Hand of Bob' }));
    await expect(ann.push(hers)).rejects.toMatchObject({
      message: expect.stringContaining('bindery.yml (changed there; the last pull kept yours'),
      details: { items: ['bindery.yml'], pullFirst: null, toMerge: ['bindery.yml'] },
    });
    writeFiles(hers, { 'bindery.yml': yaml({ arm: 'Arm of both', hand: 'Hand of Bob' }) });
    expect(await ann.push(hers)).toMatchObject({ status: 'published' });
    expect(await titles(ann)).toMatchObject({ arm: 'Arm of both', hand: 'Hand of Bob' });
  });

  test('at the same value get that of the library by a pull that keeps nothing, and theirs is set aside', async () => {
    const { ann, hers, pull, bobPushes, curation } = await pulledTwice();
    await bobPushes({ 'bindery.yml': yaml({ arm: 'Arm of Bob' }) });
    const mine = yaml({ arm: 'Arm of Ann', hand: 'Hand of Ann' });
    writeFiles(hers, { 'bindery.yml': mine });
    const pulled = await pull(ann, hers);
    expect(pulled).toMatchObject({ merged: { conflicts: [{}] }, setAside: { files: ['bindery.yml'] } });
    expect(read(pulled.setAside?.folder ?? '', 'bindery.yml')).toBe(mine);
    expect(curation()).toBe(yaml({ arm: 'Arm of Bob', hand: 'Hand of Ann' }));
    expect(await ann.push(hers)).toMatchObject({ status: 'published' });
  });

  test('lose no third change, which was published after the pull', async () => {
    const { ann, bob, hers, pull, bobPushes } = await pulledTwice();
    await bobPushes({ 'bindery.yml': yaml({ arm: 'Arm of Bob' }) });
    writeFiles(hers, { 'bindery.yml': yaml({ arm: 'Arm of Ann' }) });
    await pull(ann, hers, { keep: true });
    await bobPushes({ 'hand/hand.glb': 'softer hand' });
    await expect(ann.push(hers, { force: ['bindery.yml'] })).rejects.toMatchObject({ items: ['hand'] });
    await bobPushes({ 'bindery.yml': yaml({ arm: 'Arm of Bob', hand: 'Hand of Bob' }) });
    await expect(ann.push(hers, { force: ['bindery.yml'] })).rejects.toMatchObject({
      items: ['hand', 'bindery.yml'],
    });
    await pull(ann, hers, { keep: true });
    await pull(ann, hers, { keep: true });
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['bindery.yml'] });
    expect(await ann.push(hers, { force: ['bindery.yml'] })).toMatchObject({
      status: 'published',
      overwritten: [{ item: 'bindery.yml', change: 'changed' }],
    });
    expect(await titles(bob)).toMatchObject({ arm: 'Arm of Ann', hand: 'Hand of Bob' });
  });

  test('one of whom removed what the other edited are told so', async () => {
    const { ann, hers, pull, bobPushes } = await pulledTwice();
    await bobPushes({ 'bindery.yml': 'assets: { arm: { title: Arm } }\n' });
    writeFiles(hers, { 'bindery.yml': yaml({ hand: 'Hand of Ann' }) });
    expect(await pull(ann, hers, { keep: true })).toMatchObject({
      merged: {
        conflicts: [
          { path: ['assets', 'hand'], mine: { title: 'Hand of Ann', license: 'MIT' }, theirs: undefined },
        ],
      },
    });
  });

  test('of which one is not valid are not merged, and the edited one is set aside whole', async () => {
    const { ann, hers, pull, bobPushes, curation } = await pulledTwice();
    const his = yaml({ arm: 'Arm of Bob' });
    await bobPushes({ 'bindery.yml': his });
    writeFiles(hers, { 'bindery.yml': 'assets: { arm: [' });
    expect(await pull(ann, hers)).toMatchObject({ merged: null, setAside: { files: ['bindery.yml'] } });
    expect(curation()).toBe(his);
  });
});

describe('a file that both sides changed', () => {
  test('is published by a plain push once it was edited after the pull that kept it', async () => {
    const { ann, hers, pull, bobPushes } = await pulledTwice();
    await bobPushes({ 'hand/hand.glb': 'his hand' });
    writeFiles(hers, { 'hand/hand.glb': 'her hand' });
    await pull(ann, hers, { keep: true });
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['hand'], details: { pullFirst: null } });
    writeFiles(hers, { 'hand/hand.glb': 'hand of both' });
    expect(await ann.push(hers)).toMatchObject({ status: 'published' });
  });

  test('stays unmerged over a second pull that keeps it', async () => {
    const { ann, hers, pull, bobPushes } = await pulledTwice();
    await bobPushes({ 'hand/hand.glb': 'his hand' });
    writeFiles(hers, { 'hand/hand.glb': 'her hand' });
    await pull(ann, hers, { keep: true });
    await pull(ann, hers, { keep: true, assets: ['arm'] });
    await pull(ann, hers, { keep: true });
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['hand'] });
  });
});

describe('a push that is forced for one item', () => {
  test('needs to have been told of what it replaces, and names it', async () => {
    const { ann, hers, bobPushes } = await pulledTwice();
    await bobPushes({ 'hand/hand.glb': 'his hand', 'leg/leg.glb': 'his leg' });
    writeFiles(hers, { 'arm/arm.xml': '<mujoco model="hers"/>' });
    await expect(ann.push(hers, { force: ['hand'] })).rejects.toMatchObject({ items: ['hand', 'leg'] });
    await expect(ann.push(hers, { force: ['hand'] })).rejects.toMatchObject({ items: ['leg'] });
    await bobPushes({ 'hand/hand.glb': 'his other hand' });
    await expect(ann.push(hers, { force: ['hand/hand.glb', 'leg'] })).rejects.toMatchObject({
      items: ['hand'],
    });
    expect(await ann.push(hers, { force: ['hand/hand.glb', 'leg'] })).toMatchObject({
      status: 'published',
      overwritten: [
        { item: 'hand', change: 'changed' },
        { item: 'leg', change: 'changed' },
      ],
    });
  });

  test('brings back what others deleted and this folder still has', async () => {
    const { ann, bob, hers, his, pull } = await pulledTwice();
    const { removeAssets } = await import('../../src/edit/assets.ts');
    await removeAssets(bob.client, ADDRESS, ['leg'], bob.options);
    await pull(ann, hers, { keep: true });
    await expect(ann.push(hers)).rejects.toMatchObject({ details: { pullFirst: null, toMerge: [] } });
    expect(await ann.push(hers, { force: ['leg'] })).toMatchObject({ assets: { added: ['leg'] } });
    await pull(bob, his);
  });

  test('is refused for a name that means nothing', async () => {
    const { ann, hers } = await pulledTwice();
    await expect(ann.push(hers, { force: ['hnad'] })).rejects.toThrow('hnad is neither an asset nor a file');
  });
});
