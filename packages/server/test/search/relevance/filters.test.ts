import type { CrossLibraryHit, EmptyingFilters, RelevanceFacets, UnderstoodPart } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish, type WrittenAsset } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';

interface Envelope {
  total: number;
  facets?: RelevanceFacets;
  understood?: UnderstoodPart[];
  emptied?: EmptyingFilters[];
  hits: CrossLibraryHit[];
}

const asset = (id: string, { bytes = 10, ...rest }: Partial<WrittenAsset> & { bytes?: number }) => ({
  id,
  title: `Robot ${id}`,
  files: { [`${id}/model.bin`]: 'x'.repeat(bytes) },
  ...rest,
});
const measured = (statistics: object) => ({ meta: { statistics } });

const ROBOTS: WrittenAsset[] = [
  asset('arm', {
    kind: 'mjcf',
    format: 'xml',
    license: 'MIT',
    attribution: '(c) 2020 Ann Lee and Acme Robotics, MIT License',
    ...measured({ size: [0.4, 0.4, 0.9], bodies: 7, joints: 6, mass: 4.5, triangles: 9_000 }),
  }),
  asset('hand', {
    kind: 'urdf',
    license: 'CC-BY-4.0',
    ...measured({ size: [0.1, 0.1, 0.2], bodies: 20, joints: 16, mass: 1, triangles: 20_000, textures: 2 }),
  }),
  asset('fox', {
    kind: 'mesh',
    format: 'glb',
    license: 'CC0-1.0 OR CC-BY-NC-4.0',
    bytes: 2_000,
    ...measured({ size: [0.2, 0.8, 1.5], triangles: 576, textures: 1, animations: 3 }),
  }),
  asset('table', {
    kind: 'urdf',
    license: 'GPL-3.0-only',
    ...measured({ size: [2, 0.7, 1], up: 'y', bodies: 1 }),
  }),
  asset('stone', { kind: 'mesh', format: 'obj' }),
];

describe.each(databases)('filters of a search by relevance over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    const generated = { '.bindery/certificates/hand.json': '{}' };
    await publish(ada, 'ada/robots', { visibility: 'public', assets: ROBOTS, generated });
  });
  afterAll(() => service.close());

  async function ask(query: string): Promise<Envelope> {
    const { status, body } = await ada.get<Envelope>(`/search?${query}`);
    expect(status, query).toBe(200);
    return body;
  }
  const idsOf = ({ hits }: Envelope) => hits.map(({ assetId }) => assetId).toSorted();

  test.each([
    ['mass=..2', ['hand']],
    ['mass=..2&mass=4..5', ['arm', 'hand']],
    ['joints=6', ['arm']],
    ['joints=0', ['table']],
    ['triangles=..10000', ['arm', 'fox']],
    ['bytes=1000..', ['fox']],
    ['height=..0.5', ['hand']],
    ['height=0.75..1', ['arm', 'fox']],
    ['extent=1..', ['fox', 'table']],
    ['has=texture', ['fox', 'hand']],
    ['has=texture&has=animation', ['fox']],
    ['has=certified', ['hand']],
    ['has=certified&has=animation', []],
    ['license=permissive', ['arm', 'fox']],
    ['license=public-domain', ['fox']],
    ['license=attribution', ['hand']],
    ['license=copyleft&license=mit', ['arm', 'table']],
    ['license=non-commercial', ['fox']],
    ['license=unstated', ['stone']],
    ['format=GLB&format=obj', ['fox', 'stone']],
    ['author=acme%20robotics', ['arm']],
    ['author=Ann%20Lee&kind=urdf', []],
  ])('%s finds %j', async (query, ids) => {
    expect(idsOf(await ask(query))).toEqual(ids);
  });

  test('facets count what a search with each value finds, ranges and classes of licences included', async () => {
    const { facets } = await ask('q=robot&facets=true&kind=urdf&mass=..2');
    for (const [facet, values] of Object.entries(facets ?? {})) {
      for (const { value, count } of values) {
        const narrowed = new URLSearchParams('q=robot&kind=urdf&mass=..2');
        narrowed.set(facet === 'licenseClass' ? 'license' : facet, value);
        expect((await ask(`${narrowed}`)).total, `${facet} ${value}`).toBe(count);
      }
    }
    expect(facets?.mass).toContainEqual({ value: '..2', count: 1 });
    expect(facets?.licenseClass.map(({ value }) => value)).toEqual(['attribution']);
    expect(facets?.license.map(({ value }) => value)).toEqual(['CC-BY-4.0']);
  });

  test('the other routes filter likewise, and only with rank=relevance', async () => {
    const route = '/namespaces/ada/libraries/robots/search';
    const found = await ada.get<Envelope>(`${route}?rank=relevance&joints=6..`);
    expect(idsOf(found.body)).toEqual(['arm', 'hand']);
    const listed = await ada.get<Envelope>('/library-search?libraries=ada/robots&rank=relevance&joints=6..');
    expect(idsOf(listed.body)).toEqual(['arm', 'hand']);
    for (const query of ['joints=6', 'has=texture', 'format=glb', 'author=x', 'asWords=x']) {
      const { status, body } = await ada.get<{ parameter: string }>(`${route}?${query}`);
      expect([status, body.parameter]).toEqual([400, query.split('=')[0]]);
    }
  });

  test.each(['mass=', 'mass=x', 'mass=5..2', 'mass=..', 'mass=-1..', 'has=wheels', 'joints=1e3'])(
    '%s is refused',
    async (query) => {
      const { status, body } = await ada.get<{ parameter: string }>(`/search?${query}`);
      expect([status, body.parameter]).toEqual([400, query.split('=')[0]]);
    },
  );

  test('an empty result says which filter emptied it, and what there is instead', async () => {
    expect((await ask('q=robot&license=zlib&kind=mesh')).emptied).toEqual([
      {
        filters: [
          {
            filter: 'license',
            values: ['zlib'],
            existing: [{ value: 'CC0-1.0 OR CC-BY-NC-4.0', count: 1 }],
            unmeasured: 0,
          },
        ],
        hits: 2,
      },
    ]);
    const together = (await ask('q=robot&license=zlib&mass=..0.1')).emptied;
    expect(together?.map(({ filters, hits }) => [filters.map(({ filter }) => filter), hits])).toEqual([
      [['license', 'mass'], 5],
    ]);
    expect((await ask('q=robot&mass=90..&kind=mesh')).emptied).toMatchObject([
      { filters: [{ filter: 'mass', existing: [], unmeasured: 1 }], hits: 2 },
    ]);
    expect((await ask('q=unheardof&mass=..1')).emptied).toBeUndefined();
    expect((await ask('q=unheardof')).emptied).toBeUndefined();
  });

  test('filters are read from the query, and searched as words where that is asked for', async () => {
    const found = await ask('q=robot+lighter+than+5+kg,+permissive+licence');
    expect(idsOf(found)).toEqual(['arm']);
    expect(found.understood).toEqual([
      { text: 'lighter than 5 kg', filter: 'mass', values: ['..5'] },
      { text: 'permissive licence', filter: 'license', values: ['permissive'] },
    ]);
    const words = await ask('q=robot+lighter+than+5+kg&asWords=lighter+than+5+kg');
    expect([words.total, words.understood]).toEqual([5, undefined]);
  });

  test('a parameter is stronger than the same filter in the query', async () => {
    const found = await ask('q=robot+lighter+than+2+kg&mass=4..');
    expect([idsOf(found), found.understood]).toEqual([['arm'], undefined]);
  });

  test('what nothing here states is words: an author that is none, a format that no asset has', async () => {
    expect((await ask('q=robot+by+Ann+Lee')).understood?.[0]?.filter).toBe('author');
    expect((await ask('q=robot+by+the+sea')).understood).toBeUndefined();
    expect((await ask('q=robot+stl')).understood).toBeUndefined();
    await publish(ada, 'ada/plain', { visibility: 'public', assets: [asset('plain', { kind: 'mesh' })] });
    const { understood } = await ask('q=robot+lighter+than+5+kg&library=ada/plain');
    expect(understood?.[0]?.filter).toBe('mass');
    const alone = await ada.get<Envelope>(
      '/namespaces/ada/libraries/plain/search?rank=relevance&q=robot+lighter+than+5+kg',
    );
    expect([alone.body.total, alone.body.understood]).toEqual([1, undefined]);
  });
});
