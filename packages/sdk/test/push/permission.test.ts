import { expect, test } from 'vitest';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, ownerAndReader } from './publisher.ts';

const FILES = { 'arm/arm.xml': '<mujoco/>', 'hand/hand.glb': 'hand' };

test('whoever may not push is told so, and not of conflicts or of what to confirm', async () => {
  const [ann, bob] = await ownerAndReader();
  const hers = folderWith(FILES);
  await ann.push(hers, { visibility: 'public' });
  const his = temporaryFolder();
  await pullLibrary(bob.client, ADDRESS, his, bob.options);
  writeFiles(hers, { 'hand/hand.glb': 'new hand' });
  await ann.push(hers);
  writeFiles(his, { 'arm/arm.xml': '<mujoco model="his"/>' });
  for (const folder of [his, folderWith({ 'arm/arm.xml': '<mujoco/>' })]) {
    await expect(bob.push(folder)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    await expect(bob.push(folder, { force: true })).rejects.toMatchObject({ code: 'forbidden' });
  }
});
