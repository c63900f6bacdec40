import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AssetConverter, pullConverted } from '../../src/pull/pull-converted.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, startFakeService } from './fake-service.ts';

const TENDON = { what: 'tendon', names: ['finger'], why: 'URDF has none' };

/** Writes the entry in capital letters. */
const shout: AssetConverter = {
  async convert({ entry, as, into }, locate) {
    writeFileSync(join(into, `model.${as}`), readFileSync(await locate(entry), 'utf8').toUpperCase());
    return { entry: `model.${as}`, files: [`model.${as}`], losses: [TENDON], proof: [] };
  },
};
const refusing: AssetConverter = {
  async convert({ into }) {
    writeFileSync(join(into, 'half.usda'), 'half');
    return { refused: 'the mass of hand differs' };
  },
};

async function armsOf(converter: AssetConverter) {
  const { service, client } = await startFakeService({ 'arm/arm.xml': '<mujoco/>' });
  const above = temporaryFolder();
  const cacheFolder = temporaryFolder();
  const pull = (target = join(above, 'arm-usd')) =>
    pullConverted(client, ARMS, 'arm', target, { cacheFolder, as: 'usd', converter });
  return { service, above, pull };
}

test('an asset is written in another format into a new folder, and says what was lost', async () => {
  const { above, pull } = await armsOf(shout);
  expect(await pull()).toMatchObject({
    library: 'acme/arms',
    asset: 'arm',
    entry: 'model.usd',
    unchanged: false,
    losses: [TENDON],
  });
  expect(readdirSync(above)).toEqual(['arm-usd']);
  expect(readFileSync(join(above, 'arm-usd/model.usd'), 'utf8')).toBe('<MUJOCO/>');
});

test('a folder that has the converted files is up to date', async () => {
  const { above, pull } = await armsOf(shout);
  await pull();
  expect(await pull()).toMatchObject({ unchanged: true, fetched: { files: 0 } });
  expect(readdirSync(above)).toEqual(['arm-usd']);
});

test('a folder with other files, or a file in its place, stays as it is', async () => {
  const { service, above, pull } = await armsOf(shout);
  await pull();
  service.publish({ 'arm/arm.xml': '<mujoco model="other"/>' });
  await expect(pull()).rejects.toThrow('is not what would be written');
  expect(readFileSync(join(above, 'arm-usd/model.usd'), 'utf8')).toBe('<MUJOCO/>');
  writeFileSync(join(above, 'file'), 'mine');
  await expect(pull(join(above, 'file'))).rejects.toThrow('is not what would be written');
  expect(readdirSync(above).sort()).toEqual(['arm-usd', 'file']);
});

test('an empty folder is filled', async () => {
  const { above, pull } = await armsOf(shout);
  mkdirSync(join(above, 'empty'));
  expect(await pull(join(above, 'empty'))).toMatchObject({ unchanged: false });
});

test('a refused conversion leaves nothing behind', async () => {
  const { above, pull } = await armsOf(refusing);
  await expect(pull()).rejects.toMatchObject({
    code: 'conversion_refused',
    message: 'arm cannot be converted to usd: the mass of hand differs.',
  });
  expect(readdirSync(above)).toEqual([]);
});
