import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { measureAsset } from '../../render/src/thumbnail.ts';
import { Actor } from '../../server/test/actor.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { startAgent } from './agent.ts';
import { startGate } from './gate.ts';
import { call } from './tools-suite.ts';
import { publishFixtures } from './world.ts';

let service: TestService;
let world: Awaited<ReturnType<typeof publishFixtures>>;
let around: string;
let root: string;
let ada: Client;
const agents: Client[] = [];

beforeAll(async () => {
  service = await startService();
  world = await publishFixtures(service);
  around = await mkdtemp(join(tmpdir(), 'bindery-agent-'));
  root = join(around, 'root');
  await mkdir(root);
  ada = await agent();
});
afterAll(async () => {
  await Promise.all(agents.map((client) => client.close()));
  await service.close();
  await rm(around, { recursive: true, force: true });
});

async function agent(options: Parameters<typeof startAgent>[1] = {}, actor = world.ada): Promise<Client> {
  const client = await startAgent(actor, { root, ...options });
  agents.push(client);
  return client;
}

/** A folder with one asset, ready to be published. */
async function folderOf(name: string, text = 'v 0 0 0'): Promise<string> {
  await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, name, 'mug.obj'), text);
  return name;
}

test('a server without a root has no tools for folders', async () => {
  const reader = await startAgent(world.ada);
  agents.push(reader);
  const names = (await reader.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('pull_assets');
  expect(names).not.toContain('push');
});

test('an asset is pulled below the root and checked, and a later pull keeps local edits and deletions', async () => {
  const arm = { library: 'ada/robots', assets: ['arm'], folder: 'scenes/arm' };
  expect((await call(ada, 'check_folder', arm)).value).toMatchObject({ status: 'absent' });
  expect((await call(ada, 'pull_assets', arm)).value).toMatchObject({ fetched: { files: 3 }, keptCount: 0 });
  expect((await call(ada, 'check_folder', arm)).value).toMatchObject({ status: 'up-to-date' });
  const license = join(root, 'scenes/arm/arm/LICENSE');
  await writeFile(license, 'edited');
  expect((await call(ada, 'check_folder', arm)).value.authored.different).toEqual(['arm/LICENSE']);
  expect((await call(ada, 'pull_assets', arm)).value.authored.kept).toEqual(['arm/LICENSE']);
  expect(await readFile(license, 'utf8')).toBe('edited');
  await rm(license);
  expect((await call(ada, 'pull_assets', arm)).value).toMatchObject({
    deletedCount: 1,
    setAside: null,
    authored: { kept: [], deleted: ['arm/LICENSE'] },
  });
});

test('a pull counts what it downloaded apart from what the machine had already', async () => {
  const files = { files: 1, bytes: 7 };
  const none = { files: 0, bytes: 0 };
  const push = { folder: await folderOf('cached-source', 'v 5 5 5'), library: 'ada/cached' };
  const { plan } = (await call(ada, 'plan_push', push)).value;
  await call(ada, 'push', { ...push, plan, confirmed: plan });
  const first = await call(ada, 'pull_assets', { library: 'ada/cached', folder: 'first' });
  expect(first.value).toMatchObject({ fetched: files, cached: none, unchanged: none });
  const second = await call(ada, 'pull_assets', { library: 'ada/cached', folder: 'second' });
  expect(second.value).toMatchObject({ fetched: none, cached: files, unchanged: none });
  const again = await call(ada, 'pull_assets', { library: 'ada/cached', folder: 'second' });
  expect(again.value).toMatchObject({ fetched: none, cached: none, unchanged: files });
});

test('a released asset can be pulled and checked, but a push to a release cannot be planned', async () => {
  const library = 'ada/robots@v1';
  await world.ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1' });
  const arm = { library, assets: ['arm'], folder: 'released/arm' };
  expect((await call(ada, 'pull_assets', arm)).value).toMatchObject({ library, revision: 1 });
  expect((await call(ada, 'check_folder', arm)).value).toMatchObject({ library, status: 'up-to-date' });
  expect((await call(ada, 'plan_push', { library, folder: 'released/arm' })).isError).toBe(true);
});

test.each([
  '..',
  '../other',
  'a/../../b',
  '/etc',
  './../x',
  './/../etc',
  'a//b',
  'a\\..\\..\\b',
  'c:evil',
  'a/./b',
  'x\u0000y',
  '',
  'a/'.repeat(600),
])('a folder named %j is not written to, read or published', async (folder) => {
  const before = await readdir(around);
  const asked: [string, Record<string, unknown>][] = [
    ['pull_assets', { library: 'ada/robots', folder }],
    ['check_folder', { library: 'ada/robots', folder }],
    ['plan_push', { library: 'ada/new', folder }],
    ['push', { library: 'ada/new', folder, plan: '0'.repeat(64) }],
  ];
  for (const [name, input] of asked) expect((await call(ada, name, input)).isError, name).toBe(true);
  expect(await readdir(around)).toEqual(before);
});

test('a folder below the root is found by the names that people give it', async () => {
  const pull = async (folder: string) =>
    (await call(ada, 'pull_assets', { library: 'ada/robots', assets: ['arm'], folder })).value;
  const first = await pull('./named/arm/');
  expect(first).toMatchObject({
    folder: await realpath(join(root, 'named/arm')),
    authored: { assets: [{ assetId: 'arm', entry: 'arm/arm.xml', license: 'MIT' }] },
  });
  for (const folder of ['named/arm', join(root, 'named/arm'), first.folder])
    expect(await pull(folder), folder).toMatchObject({ folder: first.folder, unchanged: { files: 3 } });
});

test('models are drawn and described if that was planned, and the plan is for these pictures', async () => {
  await mkdir(join(root, 'pictured/wedge'), { recursive: true });
  await writeFile(
    join(root, 'pictured/wedge/wedge.obj'),
    'v 0 0 0\nv 2 0 0\nv 0 1 1\nv 0 2 0\nf 1 2 3\nf 2 3 4\n',
  );
  const push = { folder: 'pictured', library: 'ada/pictured', thumbnails: true };
  const { plan } = (await call(ada, 'plan_push', push)).value;
  const bare = await call(ada, 'push', { ...push, thumbnails: false, plan, confirmed: plan });
  expect(bare.value.error).toBe('plan_changed');
  const pushed = await call(ada, 'push', { ...push, plan, confirmed: plan });
  expect(pushed.value).toMatchObject({ status: 'published', revision: 1 });
  const wedge = { library: 'ada/pictured', assetId: 'wedge' };
  expect((await call(ada, 'find_similar', wedge)).value).toMatchObject({ comparedBy: ['shape'] });
  const { body } = await world.ada.get<{ thumbnailUrl: string }>(
    '/namespaces/ada/libraries/pictured/assets/wedge',
  );
  expect(body.thumbnailUrl).toContain('wedge.webp');
});

test('what is like a model below the root is found, with its parts as far as they are below the root', async () => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => `v ${(at & 1) * 3} ${(at >> 1) & 1} ${at >> 2}`);
  const faces = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'];
  const plank = [...corners, ...faces.map((face) => `f ${face}`)].join('\n');
  const bytes = new TextEncoder().encode(plank);
  const measured = await measureAsset({
    kind: 'mesh',
    entry: 'plank.obj',
    files: { sizes: new Map([['plank.obj', bytes.length]]), read: async () => bytes },
  });
  await publish(world.ada, 'ada/planks', {
    assets: [{ id: 'plank', kind: 'mesh', files: { 'plank.obj': plank }, meta: { ...measured } }],
  });
  const robot = (...meshes: string[]) =>
    `<robot name="x"><link name="l">${meshes.map((mesh) => `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`).join('')}</link></robot>`;
  await mkdir(join(root, 'plank/urdf'), { recursive: true });
  await mkdir(join(root, 'plank/meshes'));
  await writeFile(join(root, 'plank/meshes/plank.obj'), plank);
  await writeFile(join(root, 'plank/urdf/plank.urdf'), robot('../meshes/plank.obj'));
  await writeFile(join(around, 'outside.obj'), plank.replaceAll('v 3', 'v 9'));
  await symlink(join(around, 'outside.obj'), join(root, 'plank/meshes/linked.obj'));
  const others = robot('../meshes/plank.obj', '../meshes/linked.obj', '../../../outside.obj');
  await writeFile(join(root, 'plank/urdf/others.urdf'), others);

  const like = (file: string) => call(ada, 'find_similar', { file, pictures: false });
  const hits = [{ library: 'ada/planks', match: 'duplicate', authored: { assetId: 'plank' } }];
  for (const file of ['plank/urdf/plank.urdf', join(root, 'plank/urdf/plank.urdf')])
    expect((await like(file)).value, file).toMatchObject({ comparedBy: ['shape'], hits });
  expect((await like('plank/urdf/others.urdf')).value).toMatchObject({
    hits,
    authored: { missing: ['../meshes/linked.obj', '../../../outside.obj'] },
  });
  for (const file of ['plank/meshes/linked.obj', '../outside.obj', join(around, 'outside.obj'), 'plank/..'])
    expect((await like(file)).value.error, file).toBe('outside_root');
  expect((await like('plank/none.obj')).value.error).toBe('no_file');
  // A robot that holds such a thing, and looks like nothing.
  const { descriptor = '' } = 'statistics' in measured ? (measured.statistics ?? {}) : {};
  const bytesOf = (length: number) => Buffer.from(descriptor.slice(8), 'base64').subarray(0, length);
  const holder = {
    descriptor: `shape-1:${Buffer.alloc(bytesOf(473).length).toString('base64')}`,
    hands: [{ name: 'tool\u200b', shape: `shape-1:${bytesOf(216).toString('base64')}` }],
  };
  await publish(world.ada, 'ada/holders', {
    assets: [{ id: 'holder', kind: 'urdf', files: { 'holder.urdf': '' }, meta: { statistics: holder } }],
  });
  expect((await like('plank/urdf/plank.urdf')).value).toMatchObject({
    hits: [
      ...hits,
      { library: 'ada/holders', match: 'shape', authored: { assetId: 'holder', part: 'tool\\u{200b}' } },
    ],
  });
  const both = { file: 'plank/urdf/plank.urdf', library: 'ada/planks', assetId: 'plank' };
  expect((await call(ada, 'find_similar', both)).isError).toBe(true);
});

test('a scene of assets stands on a floor without touching, with what to credit', async () => {
  const ball = (id: string) => ({
    id,
    kind: 'mjcf',
    entry: `${id}/${id}.xml`,
    license: 'CC-BY-4.0',
    attribution: `${id} by Ada`,
    files: {
      [`${id}/${id}.xml`]:
        '<mujoco><worldbody><body name="ball"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>',
    },
  });
  await publish(world.ada, 'ada/balls', { assets: [ball('red'), ball('blue')] });
  const place = (assetId: string, at?: number[]) => ({ library: 'ada/balls', assetId, ...(at && { at }) });
  const asked = { assets: [place('red'), place('blue'), place('red')], folder: 'scenes/balls' };
  const { value } = await call(ada, 'compose_scene', asked);
  expect(value).toMatchObject({ folder: await realpath(join(root, 'scenes/balls')), problemCount: 0 });
  expect(value.authored.placed).toMatchObject([
    { name: 'red', license: 'CC-BY-4.0', attribution: 'red by Ada', at: [0.1, 0] },
    { name: 'blue', at: [0.4, 0] },
    { name: 'red_2', at: [0.7, 0] },
  ]);
  expect(await readdir(value.folder)).toEqual(expect.arrayContaining(['scene.usdz', 'scene.xml']));
  const touching = { assets: [place('red', [0, 0]), place('blue', [0.1, 0])], folder: 'scenes/touching' };
  expect(await call(ada, 'compose_scene', touching)).toMatchObject({
    isError: true,
    value: {
      error: 'scene_refused',
      authored: { message: expect.stringContaining('red (0.2 × 0.2 m) and blue') },
    },
  });
  expect(existsSync(join(root, 'scenes/touching'))).toBe(false);
  const stacked = { assets: [place('red'), { ...place('blue'), on: 'red' }], folder: 'scenes/stacked' };
  expect((await call(ada, 'compose_scene', stacked)).value.authored.placed).toMatchObject([
    { name: 'red', height: 0 },
    { name: 'blue', at: [0.1, 0], height: 0.201 },
  ]);
  const unknown = { assets: [{ ...place('red'), on: 'blue' }, place('blue')], folder: 'scenes/unknown' };
  expect((await call(ada, 'compose_scene', unknown)).value.error).toBe('scene_refused');
});

test('a project folder keeps what it has locked until it is told otherwise, and moves to another release', async () => {
  const bolt = (text: string) => ({ id: 'bolt', files: { 'bolt/bolt.obj': text } });
  const path = '/namespaces/ada/libraries/bolts';
  for (const [release, text] of [
    ['v1', 'v 1 1 1'],
    ['v2', 'v 2 2 2'],
  ] as const) {
    await publish(world.ada, 'ada/bolts', { assets: [bolt(text)] });
    await world.ada.post(`${path}/releases`, { name: release });
  }
  const use = (release: string) => ({ folder: 'cell', library: `ada/bolts@${release}`, assets: ['bolt'] });
  const placed = async (input: object) => {
    const tool = 'assets' in input ? 'add_to_project' : 'sync_project_folder';
    const { folder, authored } = (await call(ada, tool, { ...input })).value;
    return readFile(join(folder, authored.assets[0].entry), 'utf8');
  };
  expect(await placed(use('v1'))).toBe('v 1 1 1');
  expect((await call(ada, 'check_project_folder', { folder: 'cell' })).value).toEqual({
    upToDate: false,
    outdated: [
      {
        library: 'ada/bolts',
        locked: 'v1',
        now: 'v2',
        authored: { changed: ['bolt'], gone: [], added: [] },
      },
    ],
  });
  expect(await placed({ folder: 'cell' })).toBe('v 1 1 1');
  expect(await placed(use('v2'))).toBe('v 2 2 2');
  expect((await call(ada, 'check_project_folder', { folder: 'cell' })).value.upToDate).toBe(true);
});

test('a project folder leads to no other service, and to none above it or elsewhere', async () => {
  const elsewhere = join(root, 'elsewhere');
  await mkdir(elsewhere, { recursive: true });
  const text = 'server: http://127.0.0.1:9\nassets: [ada/robots/arm]\n';
  await writeFile(join(elsewhere, 'assets.yml'), text);
  await writeFile(join(around, 'assets.yml'), 'assets: [ada/robots/arm]\n');
  await mkdir(join(root, 'linked'), { recursive: true });
  await symlink(join(around, 'assets.yml'), join(root, 'linked/assets.yml'));
  await mkdir(join(root, 'inner'), { recursive: true });
  for (const [folder, error] of [
    ['elsewhere', 'other_service'],
    ['inner', 'no_project'],
    ['linked', 'outside_root'],
  ] as const) {
    expect(await call(ada, 'sync_project_folder', { folder }), folder).toMatchObject({
      isError: true,
      value: { error },
    });
  }
  const hand = { library: 'ada/robots', assets: ['hand'] };
  const written = await call(ada, 'add_to_project', { folder: 'linked', ...hand });
  expect(written).toMatchObject({ isError: true, value: { error: 'outside_root' } });
  expect(await readFile(join(around, 'assets.yml'), 'utf8')).toBe('assets: [ada/robots/arm]\n');
});

test('assets that cannot be added to a project leave it as it was', async () => {
  const add = (assets: string[]) =>
    call(ada, 'add_to_project', { folder: 'added', library: 'ada/robots', assets });
  expect((await add(['none'])).isError).toBe(true);
  expect(existsSync(join(root, 'added/assets.yml'))).toBe(false);
  expect((await add(['arm'])).value).toMatchObject({ assetCount: 1, lockChanged: true });
  const before = await readFile(join(root, 'added/assets.yml'), 'utf8');
  expect((await add(['hand', 'none'])).isError).toBe(true);
  expect(await readFile(join(root, 'added/assets.yml'), 'utf8')).toBe(before);
});

test('the list of all tools costs a conversation less than 25 KB', async () => {
  const { tools } = await ada.listTools();
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(25_000);
});

test('a symbolic link out of the root is not followed', async () => {
  await mkdir(join(around, 'secret'));
  await writeFile(join(around, 'secret/key.txt'), 'secret');
  await symlink(join(around, 'secret'), join(root, 'link'));
  for (const folder of ['link', 'link/inner']) {
    const pulled = await call(ada, 'pull_assets', { library: 'ada/robots', assets: ['arm'], folder });
    expect(pulled).toMatchObject({ isError: true, value: { error: 'outside_root' } });
    const planned = await call(ada, 'plan_push', { library: 'ada/stolen', folder });
    expect(planned).toMatchObject({ isError: true, value: { error: 'outside_root' } });
  }
  expect(await readdir(join(around, 'secret'))).toEqual(['key.txt']);
});

test.each(['.git/hooks', 'robots/.VSCode', '.ssh'])(
  'the folder %s, where other programs find what they run, is not written to, read or published',
  async (folder) => {
    const pulled = await call(ada, 'pull_assets', { library: 'ada/robots', folder });
    expect(pulled).toMatchObject({ isError: true, value: { error: 'trusted_folder' } });
    const planned = await call(ada, 'plan_push', { library: 'ada/stolen', folder });
    expect(planned).toMatchObject({ isError: true, value: { error: 'trusted_folder' } });
    expect(existsSync(join(root, folder))).toBe(false);
  },
);

test('a push publishes exactly what was planned, or nothing', async () => {
  const push = { folder: await folderOf('mugs'), library: 'ada/mugs' };
  const { value: planned } = await call(ada, 'plan_push', push);
  expect(planned).toMatchObject({ revision: 0, assets: { added: 1 }, refused: false });
  await folderOf('mugs', 'v 1 1 1');
  const stale = await call(ada, 'push', { ...push, plan: planned.plan });
  expect(stale).toMatchObject({ isError: true, value: { error: 'plan_changed' } });
  expect((await world.ada.get('/namespaces/ada/libraries/mugs')).status).toBe(404);

  const { plan } = (await call(ada, 'plan_push', push)).value;
  const other = await call(ada, 'push', { ...push, library: 'ada/others', plan });
  expect(other).toMatchObject({ isError: true, value: { error: 'plan_changed' } });
  expect((await call(ada, 'push', { ...push, plan, confirmed: plan })).value).toMatchObject({
    status: 'published',
    revision: 1,
  });
  expect((await call(ada, 'plan_push', push)).value).toMatchObject({ unchanged: true, plan: null });
});

test('a client that cannot ask the person publishes only with the plan confirmed', async () => {
  const push = { folder: await folderOf('unasked'), library: 'ada/unasked' };
  const { plan } = (await call(ada, 'plan_push', push)).value;
  for (const confirmed of [undefined, 'yes', '0'.repeat(64)]) {
    expect(await call(ada, 'push', { ...push, plan, confirmed })).toMatchObject({
      isError: true,
      value: { error: 'confirmation_needed', next: expect.stringContaining('"confirmed"') },
    });
  }
  expect((await world.ada.get('/namespaces/ada/libraries/unasked')).status).toBe(404);
  expect((await call(ada, 'push', { ...push, plan, confirmed: plan })).value.status).toBe('published');
});

test.each(['legacy', 'modern'] as const)(
  'a push needs confirmation by the person if the client can ask (%s)',
  async (era) => {
    const asked: string[] = [];
    let publish = false;
    const client = await agent({
      era,
      person: (message) => {
        asked.push(message);
        return { action: 'accept', content: { publish } };
      },
    });
    const push = { folder: await folderOf(`asked-${era}`), library: `ada/asked-${era}` };
    const { plan } = (await call(client, 'plan_push', push)).value;
    expect(asked).toEqual([]);
    expect(await call(client, 'push', { ...push, plan })).toMatchObject({
      isError: true,
      value: { error: 'declined' },
    });
    expect((await world.ada.get(`/namespaces/ada/libraries/asked-${era}`)).status).toBe(404);
    publish = true;
    expect((await call(client, 'push', { ...push, plan })).value).toMatchObject({ status: 'published' });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(`Publish the folder asked-${era} as ada/asked-${era}? Assets: 1 added`);
  },
);

test.each(['legacy', 'modern'] as const)('a push that is cancelled publishes nothing (%s)', async (era) => {
  const gate = await startGate(service.url, /\/upload-authorizations$/);
  onTestFinished(() => gate.close());
  const client = await agent({ era }, new Actor(gate.url, world.ada.headers));
  const push = { folder: await folderOf(`cancelled-${era}`), library: `ada/cancelled-${era}` };
  const { plan } = (await call(client, 'plan_push', push)).value;
  const cancelling = new AbortController();
  const cancelled = client.callTool(
    { name: 'push', arguments: { ...push, plan, confirmed: plan } },
    { signal: cancelling.signal },
  );
  await gate.arrived;
  cancelling.abort();
  await expect(cancelled).rejects.toThrow();
  // Messages are read in order, so the cancellation has arrived when this is answered.
  await client.listTools();
  gate.open();
  await expect.poll(() => gate.asked).toContainEqual(expect.stringMatching(/^abandoned$|\/register$/));
  expect(gate.asked).toContain('abandoned');
  expect((await call(client, 'plan_push', push)).value).toMatchObject({ plan, revision: 0 });
});

test('a push that removes a licence needs the word of the person, also if the client cannot ask', async () => {
  const push = { folder: await folderOf('licensed'), library: 'ada/licensed' };
  const yaml = join(root, 'licensed/bindery.yml');
  await writeFile(yaml, 'assets: { mug.obj: { license: MIT } }\n');
  const first = (await call(ada, 'plan_push', push)).value;
  expect(first).toMatchObject({ removals: 0 });
  await call(ada, 'push', { ...push, plan: first.plan, confirmed: first.plan });
  await writeFile(yaml, 'assets: { mug.obj: { title: A mug } }\n');
  const { value } = await call(ada, 'plan_push', push);
  expect(value).toMatchObject({
    removals: 1,
    authored: { removals: ['mug.obj: license'] },
  });
  expect(await call(ada, 'push', { ...push, plan: value.plan, confirmed: value.plan })).toMatchObject({
    isError: true,
    value: { error: 'removals', message: expect.stringContaining('authored.removals') },
  });
  const agreed = await call(ada, 'push', {
    ...push,
    plan: value.plan,
    confirmed: value.plan,
    agreedRemovals: true,
  });
  expect(agreed.value).toMatchObject({ status: 'published', revision: 2 });
});

test('a plan that would undo what others did is refused, without advice to overrule them', async () => {
  const push = { folder: await folderOf('overruling'), library: 'ada/robots' };
  const { value } = await call(ada, 'plan_push', push);
  expect(value).toMatchObject({ refused: true, plan: null });
  expect(value.authored.refusal).toMatch(/would delete assets from it:\n {2}arm/);
  expect(value.authored.refusal).not.toContain('--');
});

test('a failure names folders as the agent does, not where they are on this machine', async () => {
  await mkdir(join(root, 'empty/inner'), { recursive: true });
  const absent = await call(ada, 'plan_push', { library: 'ada/robots', folder: 'absent' });
  expect(absent).toMatchObject({
    isError: true,
    value: { authored: { message: 'There is no folder absent.' } },
  });
  const empty = await call(ada, 'plan_push', { library: 'ada/robots', folder: 'empty/inner' });
  expect(empty).toMatchObject({
    isError: true,
    value: { authored: { message: expect.stringMatching(/^The folder empty\/inner has no assets/) } },
  });
});

test('a push with a read-only token is refused and publishes nothing', async () => {
  const reader = await agent({}, await service.token('ada', { scope: 'read' }));
  const push = { folder: await folderOf('refused'), library: 'ada/refused' };
  const { plan } = (await call(reader, 'plan_push', push)).value;
  const answer = await call(reader, 'push', { ...push, plan, confirmed: plan });
  expect(answer).toMatchObject({ isError: true, value: { error: 'forbidden' } });
  expect((await world.ada.get('/namespaces/ada/libraries/refused')).status).toBe(404);
});
