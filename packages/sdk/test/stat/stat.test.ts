import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pullLibrary } from '../../src/pull/pull.ts';
import { statLibrary } from '../../src/stat/stat.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

test('stat says of each file which side moved since folder and library last matched', async () => {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const hers = folderWith({ 'a/1.obj': 'one', 'a/2.obj': 'two', 'a/3.obj': 'three', 'a/4.obj': 'four' });
  await ann.push(hers);
  const his = temporaryFolder();
  await pullLibrary(bob.client, ADDRESS, his, bob.options);
  const stat = async (folder = his) => {
    const { status, moved } = await statLibrary(bob.client, ADDRESS, folder, bob.options);
    return [status, ...moved.map(({ path, how }) => `${path}: ${how}`)];
  };
  expect(await stat()).toEqual(['up-to-date']);
  writeFiles(hers, { 'a/1.obj': 'one, finer', 'a/2.obj': 'two, finer', 'a/5.obj': 'five' });
  await ann.push(hers);
  writeFiles(his, { 'a/2.obj': 'two, mine', 'a/3.obj': 'three, mine' });
  rmSync(join(his, 'a/4.obj'));
  expect(await stat()).toEqual([
    'stale',
    'a/1.obj: changed there',
    'a/2.obj: edited here and changed there',
    'a/3.obj: edited here',
    'a/4.obj: deleted here',
    'a/5.obj: only there',
  ]);
  expect(await stat(folderWith({ 'a/1.obj': 'somebody else' }))).toContain('a/1.obj: differs');
});
