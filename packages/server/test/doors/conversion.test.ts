import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AssetConverter, Conversion } from '../../src/conversions/conversions.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';
import { publish, sha256 } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const ARM = {
  id: 'arm',
  kind: 'mjcf',
  entry: 'arm/arm.xml',
  files: { 'arm/arm.xml': '<mujoco/>', 'arm/a.stl': 'a' },
};

const CART = { id: 'cart', kind: 'urdf', entry: 'cart/cart.urdf', files: { 'cart/cart.urdf': '<robot/>' } };

/** Writes the entry of an asset as its conversion, and counts how often. */
class CountingConverter implements AssetConverter {
  readonly workers = 2;
  converted: Conversion[] = [];
  installed = true;
  before = async () => {};
  answer: Awaited<ReturnType<AssetConverter['convert']>> | ServiceError = { name: 'model.usdz', losses: [] };

  version = async () => (this.installed ? '1' : null);
  close = async () => {};

  async convert(conversion: Conversion, locate: (path: string) => Promise<string>, into: string) {
    this.converted.push(conversion);
    await this.before();
    if (this.answer instanceof ServiceError) throw this.answer;
    if ('refused' in this.answer) return this.answer;
    const bytes = readFileSync(await locate(conversion.entry));
    writeFileSync(join(into, this.answer.name), `${conversion.as}: ${bytes}`);
    return this.answer;
  }
}

const converter = new CountingConverter();
let service: TestService;
let ada: Actor;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bindery-conversions-'));
  service = await startService({ converter, dataDir });
  ada = await service.member('ada');
  await publish(ada, 'ada/robots', { visibility: 'public', assets: [ARM, CART] });
  await publish(ada, 'ada/secret', { assets: [ARM] });
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(() => {
  Object.assign(converter, { installed: true, converted: [], answer: { name: 'model.usdz', losses: [] } });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(`${service.url}/raw/ada/${path}`, { method, headers });
const codeOf = ({ status, bytes }: { status: number; bytes: Buffer }) => [
  status,
  JSON.parse(bytes.toString()).error,
];

test('an asset is downloaded in another format, converted once for everybody who asks', async () => {
  converter.answer = { name: 'model.usdz', losses: ['tendon', 'naïve'] };
  const [first, second] = await Promise.all([get('robots/arm?as=usd'), get('robots/arm?as=usd')]);
  for (const { status, bytes, headers } of [first, second, await get('robots/arm?as=usd')]) {
    expect([status, bytes.toString()]).toEqual([200, 'usd: <mujoco/>']);
    expect(headers.get('content-type')).toBe('model/vnd.usdz+zip');
    expect(headers.get('content-disposition')).toBe('attachment; filename="arm.usdz"');
    expect(headers.get('bindery-losses')).toBe('tendon, na?ve');
    const digest = createHash('sha256').update(bytes).digest('base64');
    expect(headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
  }
  expect(converter.converted).toHaveLength(1);
  const etag = first.headers.get('etag')!;
  expect((await get('robots/arm?as=usd', { 'if-none-match': etag })).status).toBe(304);
  const head = await get('robots/arm?as=usd', {}, 'HEAD');
  expect([head.headers.get('content-length'), head.bytes.length]).toEqual(['14', 0]);
});

test('an address ends as the programs expect that look at its ending, unless the asset is of the kind itself', async () => {
  const usdz = await get('robots/arm.usdz');
  expect([usdz.status, usdz.bytes.toString()]).toEqual([200, 'usd: <mujoco/>']);
  expect(usdz.headers.get('etag')).toBe((await get('robots/arm?as=usd')).headers.get('etag'));
  expect(usdz.headers.get('access-control-allow-origin')).toBe('*');
  converter.answer = { name: 'model.mjz', losses: [] };
  expect((await get('robots/cart.mjz')).bytes.toString()).toBe('mjz: <robot/>');
  expect(converter.converted.at(-1)).toMatchObject({ as: 'mjz', kind: 'urdf' });
  expect((await get('robots/arm.mjz')).status).toBe(200);
  expect((await get('robots/none.usdz')).status).toBe(404);
  expect((await get('secret/arm.usdz', ada.headers as Record<string, string>)).status).toBe(200);
  const [hidden, missing] = [await get('secret/arm.usdz'), await get('nothing/arm.usdz')];
  expect(codeOf(hidden)).toEqual(codeOf(missing));
});

test('a conversion of several files is an archive named by asset and format', async () => {
  converter.answer = { name: 'model.zip', losses: [] };
  const { headers } = await get('robots/arm?as=sdf');
  expect(headers.get('content-type')).toBe('application/zip');
  expect(headers.get('content-disposition')).toBe('attachment; filename="arm-sdf.zip"');
});

test('a mesh is made ready to be simulated once for each way that it is asked for', async () => {
  converter.answer = { name: 'model.zip', losses: ['mass'] };
  const wooden = 'robots/arm?as=mjcf&sim-ready&material=wood&height=0.1';
  const first = await get(wooden);
  expect([first.status, first.headers.get('bindery-losses')]).toEqual([200, 'mass']);
  expect(converter.converted[0]).toMatchObject({ as: 'mjcf', simReady: { material: 'wood', height: 0.1 } });
  const reordered = await get('robots/arm?height=0.10&material=wood&sim-ready=true&as=mjcf');
  expect(reordered.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(converter.converted).toHaveLength(1);
  const steel = await get('robots/arm?as=mjcf&sim-ready&material=steel&height=0.1');
  expect(steel.headers.get('etag')).not.toBe(first.headers.get('etag'));
  expect(converter.converted).toHaveLength(2);
});

test.each([
  ['sim-ready', 'material', 'A mesh has no mass: give a material, a density or its mass.'],
  ['sim-ready&material=cheese', 'material', /^Choose one of aluminium, /],
  ['sim-ready&mass=-1', 'mass', /^Give a number above 0/],
  ['sim-ready&mass=1&mass=2', 'mass', /^Give a number above 0/],
  ['sim-ready&mass=1&density=2', 'density', /two ways to say the same/],
  ['sim-ready&mass=1&unit=feet', 'unit', 'Choose one of m, cm, mm, in.'],
  ['mass=1', 'mass', 'It goes with sim-ready.'],
])(
  'what a mesh is to be made of is checked before anything is converted: %s',
  async (query, parameter, message) => {
    const { status, bytes } = await get(`robots/arm?as=mjcf&${query}`);
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([status, JSON.parse(bytes.toString())]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_parameter', message: expected, parameter }),
    ]);
    expect(converter.converted).toEqual([]);
  },
);

test('an asset that has the format already is its own archive', async () => {
  expect(Object.keys(unzipSync((await get('robots/arm?as=mjcf')).bytes)).sort()).toEqual([
    'arm/a.stl',
    'arm/arm.xml',
  ]);
  expect(Object.keys(unzipSync((await get('robots/arm?as=mjz')).bytes)).sort()).toEqual([
    'a.stl',
    'arm.xml',
    'model.xml',
  ]);
  expect(converter.converted).toEqual([]);
});

test('what a viewer may not read is missing, whatever else is wrong with the request', async () => {
  const stranger = { authorization: (await service.stranger()).headers.authorization! };
  for (const path of ['secret/arm?as=usd', 'secret/arm?as=nonsense', 'secret/gone?as=usd', 'gone/arm?as=usd'])
    expect([path, ...codeOf(await get(path, stranger))]).toEqual([path, 404, 'not_found']);
  expect(codeOf(await get('secret/arm?as=usd'))).toEqual([401, 'unauthenticated']);
  expect(converter.converted).toEqual([]);
});

test('an unknown format, and an asset that is not there, are told apart for whoever can read the library', async () => {
  expect(codeOf(await get('robots/arm?as=dwg'))).toEqual([400, 'invalid_parameter']);
  for (const path of ['robots/leg?as=usd', 'robots/arm/?as=usd', 'robots/arm/arm.xml?as=usd'])
    expect([path, ...codeOf(await get(path))]).toEqual([path, 404, 'not_found']);
});

test('a refused conversion says why, and is not tried again', async () => {
  await publish(ada, 'ada/refused', { visibility: 'public', assets: [ARM] });
  converter.answer = { refused: 'the mass of hand differs', isTransient: false };
  for (const _ of [1, 2]) {
    const answer = await get('refused/arm?as=urdf');
    expect(codeOf(answer)).toEqual([422, 'conversion_refused']);
    expect(JSON.parse(answer.bytes.toString()).reason).toBe('the mass of hand differs');
  }
  expect(converter.converted).toHaveLength(1);
});

test('a conversion that took too much is not tried again for ten minutes', async () => {
  await publish(ada, 'ada/endless', {
    visibility: 'public',
    assets: [{ ...ARM, id: 'endless', files: { 'arm/arm.xml': '<mujoco >' } }],
  });
  converter.answer = { refused: 'it took longer than 60000 ms', isTransient: true };
  for (const _ of [1, 2]) {
    const failed = await get('endless/endless?as=glb');
    expect([...codeOf(failed), failed.headers.get('retry-after')]).toEqual([503, 'unavailable', '600']);
  }
  expect(converter.converted).toHaveLength(1);
});

test('neither a namespace nor all who are anonymous can hold every worker, and each gets its turn', async () => {
  const bob = await service.member('bob');
  await publish(ada, 'ada/queue', {
    visibility: 'public',
    assets: [1, 2, 3].map((at) => ({
      id: `q${at}`,
      kind: 'mjcf',
      entry: `${at}.xml`,
      files: { [`${at}.xml`]: `<mujoco ${at}` },
    })),
  });
  await publish(bob, 'bob/queue', {
    visibility: 'public',
    assets: [{ ...ARM, id: 'bobs', files: { 'arm/arm.xml': '<mujoco bob' } }],
  });
  const gates: PromiseWithResolvers<void>[] = [];
  converter.before = () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  };
  const started = () => converter.converted.map(({ files }) => files.length > 0 && files[0]!.sha256);
  const text = (content: string) => sha256(Buffer.from(content));
  const asked: Promise<{ status: number }>[] = [];
  // Anonymous people ask for all of Ada's, and for as much as may wait.
  for (const [id, format] of ['usd', 'glb'].flatMap((as) => [1, 2, 3].map((at) => [`q${at}`, as] as const)))
    asked.push(get(`queue/${id}?as=${format}`));
  await expect.poll(() => asked.length === 6 && converter.converted.length).toBe(1);
  const refused = await Promise.race(asked);
  expect(refused.status).toBe(503);

  const { headers } = bob;
  asked.push(exchange(`${service.url}/raw/bob/queue/bobs?as=usd`, { method: 'GET', headers }));
  await expect.poll(() => started()).toEqual([expect.any(String), text('<mujoco bob')]);
  gates[1]?.resolve();
  expect((await asked.at(-1))?.status).toBe(200);
  expect(converter.converted).toHaveLength(2);
  converter.before = async () => {};
  gates[0]?.resolve();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503)).toHaveLength(1);
});

test('a service that is busy says when to try again, and then converts', async () => {
  await publish(ada, 'ada/busy', { visibility: 'public', assets: [{ ...ARM, id: 'busy' }] });
  converter.answer = new ServiceError('unavailable', 'Too many assets are being converted.', {
    retryAfter: 10,
  });
  const busy = await get('busy/busy?as=glb');
  expect([...codeOf(busy), busy.headers.get('retry-after')]).toEqual([503, 'unavailable', '10']);
  converter.answer = { name: 'model.glb', losses: [] };
  expect((await get('busy/busy?as=glb')).status).toBe(200);
});

test('a service without a renderer says that it has none', async () => {
  converter.installed = false;
  expect(codeOf(await get('robots/arm?as=glb'))).toEqual([501, 'renderer_missing']);
});

test('conversions of a purged library are deleted', async () => {
  await publish(ada, 'ada/purged', { visibility: 'public', assets: [ARM] });
  expect((await get('purged/arm?as=usd')).status).toBe(200);
  const kept = () => readdirSync(join(dataDir, 'conversions')).length;
  const before = kept();
  await ada.delete('/namespaces/ada/libraries/purged');
  await ada.delete('/namespaces/ada/libraries/purged/purge');
  expect(kept()).toBe(before - 1);
});

const TETRAHEDRON = 'v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4';

test('the renderer of an installation refuses what is no model, and makes rigid bodies of meshes', async () => {
  const others = await startService();
  try {
    const mesh = { id: 'rock', kind: 'mesh', entry: 'rock.obj', files: { 'rock.obj': TETRAHEDRON } };
    await publish(await others.member('bob'), 'bob/notes', {
      visibility: 'public',
      assets: [{ id: 'notes', files: { 'notes.txt': 'no model' } }, mesh],
    });
    const ask = (query: string) =>
      exchange(`${others.url}/raw/bob/notes/${query}`, { method: 'GET', headers: {} });
    expect(codeOf(await ask('notes?as=usd'))).toEqual([422, 'conversion_refused']);
    const question = await ask('rock?as=mjcf&sim-ready&material=stone');
    expect(codeOf(question)).toEqual([422, 'conversion_refused']);
    expect(question.bytes.toString()).toContain('4 cm long in centimetres, or 4 mm long in millimetres');
    const made = await ask('rock?as=mjcf&sim-ready&material=stone&unit=cm');
    const xml = Buffer.from(unzipSync(made.bytes)['model.xml'] ?? []).toString();
    expect(Number(/mass="([^"]+)"/.exec(xml)?.[1])).toBeCloseTo((2_600 * 0.04 ** 3) / 6, 6);
    expect(made.headers.get('bindery-losses')).toMatch(/^mass/);
  } finally {
    await others.close();
  }
});
