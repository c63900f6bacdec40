import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../exchange.ts';
import { sendRaw } from '../http/raw-request.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const models: WrittenLibrary = {
  assets: [
    {
      id: 'Cup',
      kind: 'sdf',
      entry: 'cup/model.sdf',
      files: { 'cup/model.config': '<model/>', 'cup/model.sdf': '<sdf/>', 'cup/meshes/a.dae': 'mesh' },
    },
    {
      id: 'arm',
      title: 'Arm & hand',
      kind: 'urdf',
      entry: 'arm/urdf/arm.urdf',
      files: { 'arm/urdf/arm.urdf': '<robot/>', 'arm/meshes/a.stl': 'mesh' },
    },
    { id: 'robot', kind: 'mjcf', entry: 'robot/robot.xml', files: { 'robot/robot.xml': '<mujoco/>' } },
    { id: 'shape', kind: 'gltf', entry: 'shape.glb', files: { 'shape.glb': 'mesh' } },
  ],
};

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startService();
  const ada = await service.member('ada');
  token = ada.headers.authorization!.slice('Bearer '.length);
  await publish(ada, 'ada/models', { ...models, visibility: 'public' });
  await publish(ada, 'ada/secret', models);
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  exchange(`${service.url}/1.0/${path}`, { method: 'GET', headers });
const zipOf = (name: string, version = 'tip') => get(`ada%2Fmodels%2F${name}%2F${version}%2F${name}.zip`);
const textIn = (files: Record<string, Uint8Array>, name: string) => Buffer.from(files[name] ?? []).toString();

test('a model comes with its config at the root, and every folder before its files', async () => {
  const { status, bytes } = await zipOf('models~Cup');
  expect(status).toBe(200);
  expect(Object.keys(unzipSync(bytes))).toEqual(['model.config', 'model.sdf', 'meshes/', 'meshes/a.dae']);
});

test('a config is made for URDF, MJCF and meshes, and a model for what Gazebo does not read', async () => {
  const arm = unzipSync((await zipOf('models~arm')).bytes);
  expect(textIn(arm, 'model.config')).toMatch(
    /<name>Arm &amp; hand<\/name>[\s\S]*<sdf version="1.6">arm\/urdf\/arm.urdf</,
  );
  expect(textIn(arm, 'arm/urdf/arm.urdf')).toBe('<robot/>');
  const robot = unzipSync((await zipOf('models~robot')).bytes);
  expect(textIn(robot, 'model.config')).toContain('>model.sdf<');
  expect(textIn(robot, 'model.sdf')).toContain('<link name="link"></link>');
  expect(textIn(unzipSync((await zipOf('models~shape')).bytes), 'model.sdf')).toContain(
    '<uri>shape.glb</uri>',
  );
});

test('the version is in a header as clients spell it, and can be asked for', async () => {
  const path = '/1.0/ada%2Fmodels%2Fmodels~Cup%2F1%2Fmodels~Cup.zip';
  const answer = await sendRaw(service.url, `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(answer).toContain('\r\nX-Ign-Resource-Version: 1\r\n');
  expect((await zipOf('models~Cup', '7')).status).toBe(404);
});

test('a replaced version cannot be asked for by its number, unless it was released', async () => {
  const bob = await service.member('bob');
  const version = async (number: number) =>
    (await get(`bob%2Fmodels%2Fmine~Cup%2F${number}%2Fmine~Cup.zip`, bob.headers)).status;
  const [cup] = models.assets ?? [];
  if (cup === undefined) throw new Error('There is no cup.');
  await publish(bob, 'bob/mine', { assets: [cup] });
  await bob.post('/namespaces/bob/libraries/mine/releases', { name: 'v1' });
  await publish(bob, 'bob/mine', {
    assets: [{ ...cup, files: { ...cup.files, 'cup/meshes/a.dae': 'secret' } }],
  });
  expect(await version(2)).toBe(200);
  await publish(bob, 'bob/mine', {
    assets: [{ ...cup, files: { ...cup.files, 'cup/meshes/a.dae': 'new' } }],
  });
  expect([await version(1), await version(2), await version(3)]).toEqual([200, 404, 200]);
});

test('clients that write names in lower case find the model', async () => {
  expect((await zipOf('models~cup')).status).toBe(200);
});

test('a file of a model has an address of its own, also one that is made', async () => {
  expect((await get('ada/models/models~Cup/1/files/meshes/a.dae')).bytes.toString()).toBe('mesh');
  expect((await get('ada/models/models~arm/tip/files/model.config')).bytes.toString()).toContain('<name>');
  expect((await get('ada/models/models~arm/tip/files/../../x')).status).toBe(404);
});

test('lists go on until a page is not found, and show what a viewer may list', async () => {
  const namesAt = async (path: string, headers = {}) => {
    const { status, bytes } = await get(path, headers);
    return status === 200
      ? JSON.parse(bytes.toString()).map((model: { name: string }) => model.name)
      : status;
  };
  const open = ['models~Cup', 'models~arm', 'models~robot', 'models~shape'];
  expect(await namesAt('models?page=1')).toEqual(open);
  expect(await namesAt('models?page=2')).toBe(404);
  expect(await namesAt('ada%2Fcollections%2Fmodels%2Fmodels?page=1')).toEqual(open);
  expect(await namesAt('ada%2Fcollections%2Fmodels%2Fmodels?page=2')).toBe(404);
  expect(await namesAt('ada/models?page=1', { 'private-token': token })).toHaveLength(8);
});

test('a token opens a private model; hidden and missing ones are answered alike', async () => {
  const path = 'ada%2Fmodels%2Fsecret~Cup%2Ftip%2Fsecret~Cup.zip';
  expect((await get(path, { 'private-token': token })).status).toBe(200);
  const told = async (path: string, headers: Record<string, string>) => {
    const { status, bytes } = await get(path, headers);
    const { requestId: _, ...body } = JSON.parse(bytes.toString());
    return [status, body];
  };
  for (const headers of [{}, (await service.stranger()).headers]) {
    const hidden = await told(path, headers);
    for (const missing of [
      'ada/models/secret~nope/tip',
      'ada/models/nothing~Cup',
      'ada/models/secret~Cup/9',
      'no/models/a~b',
      'ada%2Fcollections%2Fsecret%2Fmodels',
    ])
      expect([missing, await told(missing, headers)]).toEqual([missing, hidden]);
  }
  expect((await get(path, { 'private-token': 'bnd_unknown' })).status).toBe(401);
});

test('what was imported is found under the name that it had, also by lower case, unless it is hidden', async () => {
  const owner = await service.member('openrobotics');
  const chair = (text: string) => ({
    library: { upstream: { repo: 'https://fuel.example/OpenRobotics/collections/Cafe' } },
    assets: [
      {
        ...{ id: 'chair-1', kind: 'sdf', entry: 'Cafe Chair/model.sdf' },
        files: { 'Cafe Chair/model.config': '<model/>', 'Cafe Chair/model.sdf': text },
      },
    ],
  });
  await publish(owner, 'openrobotics/cafe', { ...chair('<sdf/>'), visibility: 'public' });
  await publish(owner, 'openrobotics/secret', chair('<sdf>secret</sdf>'));
  await publish(owner, 'openrobotics/own', { ...chair('<sdf/>'), library: {}, visibility: 'public' });
  for (const name of ['Cafe%20Chair', 'cafe%20chair']) {
    const { status, bytes } = await get(`OpenRobotics/models/${name}/tip/${name}.zip`);
    expect(status).toBe(200);
    expect(textIn(unzipSync(bytes), 'model.sdf')).toBe('<sdf/>');
  }
  expect((await get('OpenRobotics/models/Table/tip/Table.zip')).status).toBe(404);
  expect((await get('ada/models/Cup/tip/Cup.zip')).status).toBe(404);
});
