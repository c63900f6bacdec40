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
  const pull = (target = join(above, 'arm-sdf'), as: 'sdf' | 'usd' = 'sdf') =>
    pullConverted(client, ARMS, 'arm', target, { cacheFolder, as, converter });
  return { service, above, pull };
}

test('an asset is written in another format into a new folder, and says what was lost', async () => {
  const { above, pull } = await armsOf(shout);
  expect(await pull()).toMatchObject({
    library: 'acme/arms',
    asset: 'arm',
    entry: 'model.sdf',
    unchanged: false,
    losses: [TENDON],
  });
  expect(readdirSync(above)).toEqual(['arm-sdf']);
  expect(readFileSync(join(above, 'arm-sdf/model.sdf'), 'utf8')).toBe('<MUJOCO/>');
});

test('a folder that has the converted files is up to date', async () => {
  const { above, pull } = await armsOf(shout);
  await pull();
  expect(await pull()).toMatchObject({ unchanged: true, fetched: { files: 0 } });
  expect(readdirSync(above)).toEqual(['arm-sdf']);
});

test('a folder with other files, or a file in its place, stays as it is', async () => {
  const { service, above, pull } = await armsOf(shout);
  await pull();
  service.publish({ 'arm/arm.xml': '<mujoco model="other"/>' });
  await expect(pull()).rejects.toThrow('is not what would be written');
  expect(readFileSync(join(above, 'arm-sdf/model.sdf'), 'utf8')).toBe('<MUJOCO/>');
  writeFileSync(join(above, 'file'), 'mine');
  await expect(pull(join(above, 'file'))).rejects.toThrow('is not what would be written');
  expect(readdirSync(above).sort()).toEqual(['arm-sdf', 'file']);
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
    message: 'arm cannot be converted to sdf: the mass of hand differs.',
  });
  expect(readdirSync(above)).toEqual([]);
});

/** Writes a stage with its picture. */
const staging: AssetConverter = {
  async convert({ into }) {
    const picture = '.thumbs/256x256/model.usdz.png';
    mkdirSync(join(into, '.thumbs/256x256'), { recursive: true });
    for (const path of ['model.usdz', picture]) writeFileSync(join(into, path), path);
    return { entry: 'model.usdz', files: ['model.usdz', picture], losses: [], proof: [] };
  },
};

test('USD is called as its folder, with its picture and what the library says of it beside it', async () => {
  const { above, pull } = await armsOf(staging);
  const target = join(above, 'arm');
  const pulled = await pull(target, 'usd');
  expect(pulled).toMatchObject({
    entry: 'usd/arm.usdz',
    files: ['usd/.thumbs/256x256/arm.usdz.png', 'usd/arm.json', 'usd/arm.usdz'],
    losses: [
      { what: 'SimReady', names: ['SR.004'], why: 'arm has no author, asset_license, category, qcode' },
    ],
  });
  for (const file of pulled.files) expect(readFileSync(join(target, file)).length).toBeGreaterThan(0);
  expect(readdirSync(target)).toEqual(['usd']);
  expect(JSON.parse(readFileSync(join(target, 'usd/arm.json'), 'utf8'))).toEqual({
    source_file: 'arm/arm.xml',
    usd_date_generated: new Date().toISOString().slice(0, 10),
  });
});

test('USD that was generated on another day is up to date', async () => {
  const { above, pull } = await armsOf(staging);
  const target = join(above, 'arm');
  await pull(target, 'usd');
  const sidecar = join(target, 'usd/arm.json');
  const dated = readFileSync(sidecar, 'utf8').replace(/"\d{4}-\d\d-\d\d"/, '"2020-02-03"');
  writeFileSync(sidecar, dated);
  expect(await pull(target, 'usd')).toMatchObject({ unchanged: true });
  expect(readFileSync(sidecar, 'utf8')).toBe(dated);
});

test('USD without a picture says so', async () => {
  const { above, pull } = await armsOf(shout);
  const { losses } = await pull(join(above, 'arm'), 'usd');
  expect(losses.find(({ names }) => names.includes('SR.002'))?.why).toBe('no picture of it could be drawn');
});

test('a robot in URDF becomes one file, and says which of its meshes lost their materials', async () => {
  const robot =
    '<robot name="filename=&quot;x"><mesh filename="m/a&amp;b.obj"/><mesh filename="m/c.stl"/><mesh filename="package://o.stl"/></robot>';
  const files: Record<string, string> = {
    'robot.urdf': robot,
    'm/a&b.obj': 'v 1 2 3\nmtllib a.mtl\n',
    'm/a.mtl': '',
    'm/c.stl': 'solid',
  };
  const converter: AssetConverter = {
    async convert({ into }) {
      mkdirSync(join(into, 'm'));
      for (const [path, text] of Object.entries(files)) writeFileSync(join(into, path), text);
      return { entry: 'robot.urdf', files: Object.keys(files), losses: [TENDON], proof: [] };
    },
  };
  const { service: _, client } = await startFakeService({ 'arm/arm.xml': '<mujoco/>' });
  const [target, cacheFolder] = [join(temporaryFolder(), 'arm'), temporaryFolder()];
  const options = { cacheFolder, as: 'urdf', inline: true, converter } as const;
  const { files: written, losses } = await pullConverted(client, ARMS, 'arm', target, options);
  expect([written, readdirSync(target)]).toEqual([['robot.urdf'], ['robot.urdf']]);
  const data = (type: string, text: string) => `data:${type};base64,${Buffer.from(text).toString('base64')}`;
  expect(readFileSync(join(target, 'robot.urdf'), 'utf8')).toBe(
    robot
      .replace('m/a&amp;b.obj', data('model/obj', files['m/a&b.obj'] ?? ''))
      .replace('m/c.stl', data('model/stl', 'solid')),
  );
  expect(losses).toEqual([TENDON, expect.objectContaining({ what: 'material', names: ['m/a&b.obj'] })]);
});
