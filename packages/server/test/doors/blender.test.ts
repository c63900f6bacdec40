import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { blendFile, inFrames } from '../../../formats/test/blend-files.ts';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';
import { publish, sha256, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

/** What Blender's `blender_asset_library_openapi.yaml`, version 1.0.0, says of the documents. */
const hash = z.string().regex(/^SHA256:[0-9a-f]{64}$/);
const urlWithHash = z.strictObject({ url: z.string().min(1), hash });
const Meta = z.strictObject({
  api_versions: z.record(z.string().regex(/^v[0-9]+$/), urlWithHash),
  name: z.string(),
  contact: z.strictObject({ name: z.string(), url: z.string().optional(), email: z.string().optional() }),
});
const count = z.int().nonnegative();
const Index = z.strictObject({
  schema_version: z.literal('1.0.0'),
  asset_size_bytes: count,
  asset_count: count,
  file_count: count,
  pages: z.array(urlWithHash),
  catalogs: z
    .array(
      z.strictObject({
        path: z.string(),
        simple_name: z.string().optional(),
        uuids: z.array(z.string()).min(1),
      }),
    )
    .optional(),
});
const said = z.string().min(1).optional();
const Page = z.strictObject({
  asset_count: count,
  file_count: count,
  assets: z.array(
    z.strictObject({
      name: z.string().min(1),
      id_type: z.string().regex(/^[A-Z_0-9]+$/),
      files: z.array(z.string()).min(1),
      thumbnail: urlWithHash.optional(),
      meta: z
        .strictObject({
          catalog_id: said,
          preferred_import_method: said,
          tags: z.array(z.string()).min(1).optional(),
          author: said,
          description: said,
          license: said,
          copyright: said,
          properties: z.array(z.unknown()).optional(),
        })
        .optional(),
      bl_versions: z.strictObject({ min: z.string(), until: z.string().optional() }),
    }),
  ),
  files: z.array(
    z.strictObject({
      path: z.string().endsWith('.blend'),
      url: z.string().optional(),
      size_in_bytes: count,
      hash,
      blender_version: z.string().regex(/^\d+\.\d+$/),
    }),
  ),
});

const ID = '01234567-89ab-cdef-0123-456789abcdef';
const CHAIR = blendFile([
  {
    code: 'OB',
    name: 'Chair',
    metadata: {
      author: 'Ada',
      tags: ['wood'],
      catalog: Buffer.from('67452301ab89efcd0123456789abcdef', 'hex'),
    },
  },
  { code: 'MA', name: 'Oak', metadata: { license: 'CC0-1.0' } },
]);
const LAMP = inFrames(blendFile([{ code: 'GR', name: 'Lamp', metadata: {} }], 500), 10_000);
const TRAP = 'lamp/e\u0301\u202e 1 & 2 %41?#.blend';

const props: WrittenLibrary = {
  library: { title: 'Props', license: 'MIT' },
  assets: [
    {
      id: 'chair',
      license: 'CC-BY-4.0',
      thumbnail: '.bindery/thumbs/chair.webp',
      files: {
        'chair/chair.blend': CHAIR,
        'chair/blender_assets.cats.txt': `VERSION 1\n\n# \n${ID}:Furniture/Chairs:Chairs\n`,
      },
    },
    {
      id: 'lamp',
      files: { [TRAP]: LAMP, 'lamp/broken.blend': 'BLENDER-v405 broken', 'lamp/lamp.obj': 'v 0 0 0' },
    },
  ],
  generated: { '.bindery/thumbs/chair.webp': 'a picture' },
};

let service: TestService;
let ada: Actor;
beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
  await publish(ada, 'ada/secret', props);
  await publish(ada, 'ada/props', { ...props, visibility: 'public' });
  await ada.post('/namespaces/ada/libraries/props/releases', { name: 'v1' });
});
afterAll(() => service.close());

async function ask(url: string, headers: Record<string, string> = {}) {
  const answer = await exchange(url, { method: 'GET', headers });
  return { ...answer, text: answer.bytes.toString() };
}

/** Walks a listing as Blender does: each document by the address and with the hash that the one before has for it. */
async function walk(root: string, headers: Record<string, string> = {}) {
  const follow = async (link: z.infer<typeof urlWithHash>) => {
    const { status, bytes, text } = await ask(
      new URL(`${link.url}?hash=${link.hash.slice(7)}`, root).href,
      headers,
    );
    expect([link.url, status, `SHA256:${sha256(bytes)}`]).toEqual([link.url, 200, link.hash]);
    return text;
  };
  const meta = Meta.parse(JSON.parse((await ask(`${root}_asset-library-meta.json?s=1`, headers)).text));
  const index = Index.parse(JSON.parse(await follow(meta.api_versions.v1!)));
  const pages = [];
  for (const page of index.pages) pages.push(Page.parse(JSON.parse(await follow(page))));
  for (const page of pages) {
    for (const { thumbnail } of page.assets) if (thumbnail) await follow(thumbnail);
    for (const file of page.files) await follow({ url: file.url ?? file.path, hash: file.hash });
  }
  return { meta, index, pages };
}

test.each(['ada/props/', 'ada/props@v1/'])(
  '%s is a listing by the schema, and every hash in it is right',
  async (path) => {
    const { meta, index, pages } = await walk(`${service.url}/blender/${path}`);
    expect(meta).toMatchObject({
      name: 'Props',
      contact: { name: 'ada', url: `${service.url}/app/ada/props` },
    });
    expect(index).toMatchObject({
      asset_count: 3,
      file_count: 2,
      asset_size_bytes: CHAIR.length + LAMP.length,
    });
    expect(index.catalogs).toEqual([{ path: 'Furniture/Chairs', simple_name: 'Chairs', uuids: [ID] }]);
    const { assets, files } = pages[0]!;
    const thumbnail = {
      url: '.bindery/thumbs/chair.webp',
      hash: `SHA256:${sha256(Buffer.from('a picture'))}`,
    };
    const of = { files: ['chair/chair.blend'], bl_versions: { min: '4.5' }, thumbnail };
    expect(assets).toEqual([
      {
        ...of,
        name: 'Chair',
        id_type: 'OBJECT',
        meta: { catalog_id: ID, tags: ['wood'], author: 'Ada', license: 'CC-BY-4.0' },
      },
      { ...of, name: 'Oak', id_type: 'MATERIAL', meta: { license: 'CC0-1.0' } },
      {
        name: 'Lamp',
        id_type: 'COLLECTION',
        files: [TRAP],
        bl_versions: { min: '5.0' },
        meta: { license: 'MIT' },
      },
    ]);
    expect(files.map((file) => [file.path, file.blender_version])).toEqual([
      ['chair/chair.blend', '4.5'],
      [TRAP, '5.0'],
    ]);
  },
);

test('a listing that was begun is read to its end, whatever is published meanwhile', async () => {
  await publish(ada, 'ada/moving', { ...props, visibility: 'public' });
  const root = `${service.url}/blender/ada/moving/`;
  const meta = Meta.parse(JSON.parse((await ask(`${root}_asset-library-meta.json`)).text));
  await publish(ada, 'ada/moving', { assets: [{ id: 'lamp', files: { 'lamp.blend': LAMP } }] });
  const { url, hash } = meta.api_versions.v1!;
  expect(`SHA256:${sha256((await ask(new URL(url, root).href)).bytes)}`).toBe(hash);
  expect((await walk(root)).index.asset_count).toBe(1);
  await ada.post('/namespaces/ada/libraries/moving', { visibility: 'private' });
  expect((await ask(new URL(url, root).href)).status).toBe(401);
});

test('a library without Blender files is an empty listing', async () => {
  await publish(ada, 'ada/none', { assets: [{ id: 'a', files: { a: 'a' } }], visibility: 'public' });
  expect((await walk(`${service.url}/blender/ada/none/`)).index).toMatchObject({ asset_count: 0, pages: [] });
});

test('large listings have pages', async () => {
  const many = Array.from({ length: 2_500 }, (_, at) => ({ code: 'MA', name: `m${at}`, metadata: {} }));
  await publish(ada, 'ada/many', {
    assets: [
      {
        id: 'a',
        files: {
          'a.blend': inFrames(blendFile(many.slice(0, 1_500)), 1_000_000),
          'b.blend': inFrames(blendFile(many.slice(1_500)), 1_000_000),
        },
      },
    ],
    visibility: 'public',
  });
  const { index, pages } = await walk(`${service.url}/blender/ada/many/`);
  expect(pages.map((page) => [page.asset_count, page.file_count])).toEqual([
    [1_000, 1],
    [1_000, 2],
    [500, 1],
  ]);
  expect([index.asset_count, index.file_count]).toEqual([2_500, 2]);
  expect(pages.flatMap(({ assets }) => assets.map(({ name }) => name))).toEqual(many.map(({ name }) => name));
});

test('pages of assets that say much are shorter', async () => {
  const metadata = { description: 'd'.repeat(4_000) };
  const many = Array.from({ length: 400 }, (_, at) => ({ code: 'MA', name: `m${at}`, metadata }));
  const assets = [{ id: 'a', files: { 'a.blend': inFrames(blendFile(many), 1_000_000) } }];
  await publish(ada, 'ada/told', { assets, visibility: 'public' });
  const { index, pages } = await walk(`${service.url}/blender/ada/told/`);
  expect(pages.map((page) => page.asset_count)).toEqual([258, 142]);
  expect(index.asset_count).toBe(400);
});

test('hidden and missing libraries are answered alike, and a token in the address is one', async () => {
  for (const headers of [{}, { ...(await service.stranger()).headers }]) {
    const told = async (path: string) => {
      const { status, text, headers: sent } = await ask(`${service.url}/blender/${path}`, headers);
      return [status, JSON.parse(text).error, sent.get('www-authenticate')];
    };
    for (const rest of [
      '_asset-library-meta.json',
      '_v1/asset-index.json',
      '_v1/x',
      'chair/chair.blend',
      '',
    ]) {
      const hidden = await told(`ada/secret/${rest}`);
      expect(hidden[0]).toBe(Object.keys(headers).length === 0 ? 401 : 404);
      for (const other of ['ada/secret@v1', 'ada/nothing', 'nobody/x', 'ada/A..b'])
        expect([other, rest, await told(`${other}/${rest}`)]).toEqual([other, rest, hidden]);
    }
  }
  const token = ada.headers.authorization!.slice('Bearer '.length);
  const authorization = `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`;
  expect((await walk(`${service.url}/blender/ada/secret/`, { authorization })).index.asset_count).toBe(3);
  const missing = await ask(`${service.url}/blender/ada/props/_v1/assets-00009.json`);
  expect([missing.status, JSON.parse(missing.text).missing]).toEqual([404, 'path']);
});

test('no request makes the door fail', async () => {
  const word = fc.constantFrom(
    'ada',
    'props',
    'props@v1',
    'secret',
    '_v1',
    '_asset-library-meta.json',
    'asset-index.json',
    '%00',
    '%2f',
    '..',
    '@',
    'ä',
    '',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
      const path = encodeURI(words.join('/')).replaceAll('%25', '%');
      expect((await ask(`${service.url}/blender/${path}`)).status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
});
