import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AssetConverter } from '../../src/conversions/conversions.ts';
import { anyPattern } from '../../src/doors/usd-search/wildcards.ts';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const robots: WrittenLibrary = {
  assets: [
    {
      ...{
        id: 'arm',
        title: 'Red arm',
        kind: 'mjcf',
        category: 'manipulator',
        license: 'MIT',
        tags: ['red'],
      },
      ...{ entry: 'arm/arm.xml', files: { 'arm/arm.xml': '<mujoco/>', 'arm/a.stl': 'a' } },
    },
    {
      ...{ id: 'crate', title: 'Red crate', kind: 'usd', category: 'prop', license: 'CC0-1.0' },
      ...{ entry: 'größe/crate.usda', files: { 'größe/crate.usda': '#usda 1.0', 'größe/t.png': 'png' } },
    },
    { id: 'photo', title: 'Red photo', kind: 'image', entry: 'photo.png', files: { 'photo.png': 'png' } },
  ],
};
const converter: AssetConverter = {
  workers: 1,
  version: async () => '1',
  close: async () => {},
  async convert({ as, entry }, _locate, into) {
    writeFileSync(join(into, 'model.usdz'), `${as} of ${entry}`);
    return { name: 'model.usdz', losses: [] };
  },
};

let service: TestService;
let ada: Actor;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bindery-usd-search-'));
  service = await startService({ converter, dataDir });
  ada = await service.member('ada');
  await publish(ada, 'ada/robots', { ...robots, visibility: 'public' });
  await publish(ada, 'ada/secret', robots);
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true });
});

const url = (path: string) => `${service.url}/usdsearch/${path}`;
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  exchange(url(path), { method: 'POST', headers, body: Buffer.from(JSON.stringify(body)) });
const get = (path: string, headers: Record<string, string> = {}) =>
  exchange(url(path), { method: 'GET', headers });
const jsonOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString());
const search = async (body: object, headers?: Record<string, string>) =>
  jsonOf(await post('search_hybrid', body, headers));
const pathsOf = async (body: object, headers?: Record<string, string>) =>
  (await search(body, headers)).hits.map(({ source }: { source: { path: string } }) => source.path).sort();
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const token = () => ada.headers.authorization?.slice('Bearer '.length) ?? '';
const download = (asset: string, headers?: Record<string, string>, more = '') =>
  get(`download/asset?asset_url=${encodeURIComponent(asset)}${more}`, headers);

const ARM = 'ada/robots/arm.usdz';
const CRATE = 'ada/robots/gr%C3%B6%C3%9Fe/crate.usda';

test('hits are USD: the entry of an asset in it, the address of the conversion of another, and nothing else', async () => {
  const { total, hits } = await search({ hybrid_text_query: 'red', return_metadata: true });
  expect(total).toBe(2);
  const sources = hits.map(({ source }: { source: object }) => source);
  expect(sources).toContainEqual(
    expect.objectContaining({
      base_key: `${service.url}/raw/${ARM}`,
      path: ARM,
      ext: 'usdz',
      license: 'MIT',
    }),
  );
  expect(sources).toContainEqual(expect.objectContaining({ path: CRATE, name: 'crate.usda', ext: 'usda' }));
  const read = async (path: string) =>
    (await exchange(`${service.url}/raw/${path}`, { method: 'GET' })).bytes.toString();
  expect([await read(ARM), await read(CRATE)]).toEqual(['usd of arm/arm.xml', '#usda 1.0']);
});

test.each([
  ['without words, all', {}, [ARM, CRATE]],
  ['by words for vectors', { vector_queries: [{ query_type: 'text', query: 'crate' }] }, [CRATE]],
  ['only as many as wanted', { hybrid_text_query: 'arm crate', limit: 1 }, 1],
  ['by extension', { file_extension_include: 'usd*', file_extension_exclude: 'usda,usdc' }, [ARM]],
  ['by a part of the name', { file_name: 'RAT' }, [CRATE]],
  ['by what a path contains', { search_path: '*größe*' }, [CRATE]],
  ['by folder', { search_path: 'ada/robots/arm' }, [ARM]],
  ['without a folder', { exclude_search_path: '/ada/robots/gr' }, [ARM]],
  ['by class', { filter_by_properties: 'simready*asset_type=~Manipulator' }, [ARM]],
  ['by any of two properties', { filter_by_properties_include_any: 'license=CC0*,kind=sdf' }, [CRATE]],
  ['without a property', { exclude_filter_by_properties: 'simready*asset_type=~prop' }, [ARM]],
  ['by tag', { filter_by_tags: '=red' }, [ARM]],
  [
    'by a profile, which no asset is known to meet',
    { filter_by_properties: '*validation__profile=~Robot-Body' },
    [],
  ],
  ['by height, which none was measured for', { min_bbox_y: 1, max_bbox_y: 2 }, []],
  ['by mass, which none was measured for', { filter_by_properties_numeric: 'physics:mass>=1' }, []],
  ['by size', { file_size_less_than: '1KB', file_size_greater_than: '0KB' }, [ARM, CRATE]],
])('finds %s', async (_name, body, expected) => {
  const found = await pathsOf(body);
  if (typeof expected === 'number') expect(found).toHaveLength(expected);
  else expect(found).toEqual(expected);
});

test.each([
  [{ filter_url_regexp: '.*' }, 'filter_url_regexp'],
  [{ image_similarity_search: ['data:'] }, 'image_similarity_search'],
  [{ limit: 0 }, 'limit'],
  [{ file_name: 'x'.repeat(501) }, 'file_name'],
  [{ filter_by_properties_numeric: 'weight>2' }, 'filter_by_properties_numeric'],
])('a filter that it has not is refused by name, not ignored: %j', async (body, name) => {
  const answer = await post('search_hybrid', body);
  expect([answer.status, jsonOf(answer).message]).toEqual([
    400,
    expect.stringContaining(name === 'filter_by_properties_numeric' ? 'weight>2' : name),
  ]);
});

test('a private library is found and downloaded with a token, and else as if it did not exist', async () => {
  const secret = 'ada/secret/arm.usdz';
  const ways = [ada.headers, basic('$omni-api-token', token()), { 'x-api-key': token() }];
  for (const headers of ways) {
    expect(await pathsOf({ hybrid_text_query: 'arm', search_path: '/ada/secret' }, headers)).toEqual([
      secret,
    ]);
    expect((await download(secret, headers)).status).toBe(200);
  }
  const bob = await service.member('bob');
  for (const headers of [
    {},
    bob.headers,
    basic('$omni-api-token', '<insert your Nucleus API token here>'),
    basic('$omni-api-token', ''),
  ]) {
    expect(await pathsOf({ search_path: '/ada/secret' }, headers)).toEqual([]);
    const [hidden, missing] = await Promise.all(
      [secret, 'ada/nothing/arm.usdz'].map(async (path) => {
        const { status, bytes } = await download(path, headers);
        const { requestId: _, ...error } = JSON.parse(bytes.toString());
        return { status, error };
      }),
    );
    expect(hidden).toEqual(missing);
  }
  expect((await post('search_hybrid', {}, basic('$omni-api-token', 'wrong'))).status).toBe(401);
});

test('a download is an archive of the asset with a manifest, of the conversion, or of a file', async () => {
  const crate = await download(`${service.url}/raw/${CRATE}`);
  const files = unzipSync(crate.bytes);
  expect(Object.keys(files)).toEqual(['größe/crate.usda', 'größe/t.png', 'manifest.json']);
  const manifest = jsonOf({ bytes: Buffer.from(files['manifest.json'] ?? []) });
  expect(manifest).toMatchObject({ root_url: `${service.url}/raw/${CRATE}`, file_count: 2, total_size: 12 });
  expect(jsonOf(await download(CRATE, {}, '&manifest_only=true'))).toEqual(manifest);
  const arm = unzipSync((await download(ARM)).bytes);
  expect(Buffer.from(arm['arm.usdz'] ?? []).toString()).toBe('usd of arm/arm.xml');
  expect(Object.keys(unzipSync((await download('ada/robots/photo.png')).bytes))).toContain('photo.png');
});

test.each([
  'http://elsewhere/raw/ada/robots/arm.usdz',
  'file:///etc/passwd',
  '../../etc/passwd',
  '',
  '%ff',
  'ada',
  'ada/robots',
  'ada/robots/no.usdz',
])('an address of nothing here is not found: %s', async (asset) => {
  expect((await download(asset, ada.headers)).status).toBe(404);
});

test('a query in plain words is answered with the filters that the search understands, and with itself', async () => {
  const query = 'red arm under MIT license';
  const parsed = jsonOf(await post('llm_parse/query', { query }));
  expect(parsed.search_params).toEqual({ hybrid_text_query: query });
  expect(parsed.interpreted_query.filters).toEqual([{ field: 'license', operator: 'in', value: ['MIT'] }]);
  expect(await pathsOf(parsed.search_params)).toEqual([ARM]);
});

test('its storage is the address of files', async () => {
  const base = `${service.url}/raw/`;
  expect(jsonOf(await get('info/backend/storage?check_availability=true'))).toEqual({
    backends: { [base]: { storage_backend_type: 'storage_api', base_url: base, available: true } },
  });
});

test('whatever is sent, no route fails, and none writes', async () => {
  const odd = [
    null,
    true,
    -1,
    1e300,
    '',
    '*'.repeat(500),
    '?*'.repeat(250),
    'a=,=~,,;;*',
    '\ud800',
    '=',
    '<>',
    [],
    ['a'],
    {},
  ];
  const names = [
    'hybrid_text_query',
    'vector_queries',
    'limit',
    'file_name',
    'search_path',
    'filter_by_properties',
    'filter_by_properties_numeric',
    'filter_by_tags',
    'file_size_less_than',
    'min_bbox_y',
    'query',
    'return_metadata',
  ];
  const bodies = [...odd, ...names.flatMap((name) => odd.map((value) => ({ query: 'x', [name]: value })))];
  for (const body of bodies) {
    for (const path of ['search_hybrid', 'llm_parse/query'])
      expect((await post(path, body as object)).status, `${path} ${JSON.stringify(body)}`).toBeLessThan(500);
  }
  for (const value of odd.filter((value) => value !== '\ud800')) {
    const { status } = await download(
      String(value),
      {},
      `&manifest_only=${encodeURIComponent(JSON.stringify(value))}`,
    );
    expect(status).toBeLessThan(500);
  }
  const before = await ada.get('/namespaces/ada/libraries/robots');
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    for (const path of ['search_hybrid', 'download/asset', 'info/backend/storage'])
      expect(
        (await exchange(url(path), { method, headers: ada.headers as Record<string, string> })).status,
      ).toBe(405);
  }
  expect((await ada.get('/namespaces/ada/libraries/robots')).body).toEqual(before.body);
});

describe('patterns', () => {
  test.each([
    ['a*c', 'abbc', true],
    ['a*c', 'abcd', false],
    ['*b*', 'ABC', true],
    ['a?c', 'abc', true],
    ['?', '', false],
    ['*?b', 'aab', true],
    ['a**', 'a', true],
    ['ab*b', 'ab', false],
    ['x,a*;*c', 'abc', true],
    ['a*;*x', 'abc', false],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(anyPattern(pattern)(text)).toBe(expected);
  });
});
