import type { CrossLibraryHit, RelevanceFacets } from '@bindery/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../../test/faults.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish, type WrittenAsset } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';

interface Envelope {
  total: number;
  didYouMean?: string;
  facets?: RelevanceFacets;
  hits: CrossLibraryHit[];
}

const FACETS = ['kind', 'category', 'license', 'tag', 'library'] as const;
const VALUES: Record<(typeof FACETS)[number], string[]> = {
  kind: ['mjcf', 'urdf', 'mesh', 'splat'],
  category: ['arm', 'hand', 'drone', 'gripper'],
  license: ['MIT', 'mit', 'Apache-2.0'],
  tag: ['six axes', 'blue', 'Blue', 'heavy'],
  library: ['ada/one', 'ada/two', 'bo/three', 'ada/none'],
};
const QUERIES = ['', 'robot', 'big robot', 'robto', 'big', 'gripper', 'robot -heavy', '"big robot"', 'ro'];

/** Assets whose values run through the lists at different paces, so that every combination is there. */
function assets(count: number, from = 0): WrittenAsset[] {
  return Array.from({ length: count }, (_, place) => {
    const at = place + from;
    return {
      id: `robot-${at}`,
      title: ['Big robot', 'Robot', 'robot, red', 'Ängel'][at % 4] ?? '',
      kind: VALUES.kind[at % 3] ?? 'mesh',
      category: VALUES.category[at % 4] ?? 'arm',
      license: VALUES.license[at % 3] ?? 'MIT',
      tags: VALUES.tag.filter((_tag, bit) => (at >> bit) & 1),
      files: { [`robot-${at}/model.stl`]: 'x'.repeat((at * 7) % 23) },
    };
  });
}

const chosen = (facet: (typeof FACETS)[number]) =>
  fc.option(fc.subarray(VALUES[facet], { minLength: 1, maxLength: 2 }), { nil: [], freq: 2 });

const requests = fc
  .record({
    q: fc.constantFrom(...QUERIES),
    kind: chosen('kind'),
    category: chosen('category'),
    license: chosen('license'),
    tag: chosen('tag'),
    library: chosen('library'),
    sort: fc.constantFrom('relevance', 'newest', 'title', 'size'),
  })
  .map(({ q, sort, ...filters }) => {
    const query = new URLSearchParams({ q, sort });
    for (const [name, values] of Object.entries(filters))
      for (const value of values) query.append(name, value);
    return query;
  });

async function ask(
  actor: Actor,
  query: URLSearchParams,
  more: Record<string, string> = {},
): Promise<Envelope> {
  const all = new URLSearchParams([...query, ...Object.entries(more)]);
  const { status, body } = await actor.get<Envelope>(`/search?${all}`);
  expect(status, String(all)).toBe(200);
  return body;
}

describe.each(databases)('facets and sorting of a relevance search over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bo: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bo = await service.member('bo');
    await publish(ada, 'ada/one', { visibility: 'public', assets: assets(40) });
    await publish(ada, 'ada/two', { visibility: 'public', assets: assets(7, 3) });
    await publish(bo, 'bo/three', { visibility: 'public', assets: assets(11, 30) });
    await publish(ada, 'ada/secret', { assets: assets(9) });
  });
  afterAll(() => service.close());

  test('facets count the hits of a search with each value, under any filters and sort order', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (query) => {
        const { facets, total } = await ask(ada, query, { facets: 'true', limit: '1' });
        expect(total).toBe((await ask(ada, query, { limit: '1' })).total);
        for (const facet of FACETS) {
          for (const { value, count } of facets?.[facet].slice(0, 3) ?? []) {
            const narrowed = new URLSearchParams(query);
            narrowed.set(facet, value.toUpperCase());
            expect((await ask(ada, narrowed, { limit: '1' })).total, `${facet} ${value} of ${query}`).toBe(
              count,
            );
          }
        }
      }),
      { numRuns: rounds({ short: 12, long: 300 }) },
    );
  });

  test('facets are the same from the other search routes with rank=relevance', async () => {
    const everywhere = await ask(ada, new URLSearchParams('q=robot&library=ada/one&tag=BLUE&tag=heavy'), {
      facets: 'true',
    });
    const query = 'q=robot&rank=relevance&facets=true&tag=BLUE&tag=heavy';
    const one = await ada.get<Envelope>(`/namespaces/ada/libraries/one/search?${query}`);
    const listed = await ada.get<Envelope>(`/library-search?libraries=ada/one&${query}`);
    expect(one.body.total).toBe(everywhere.total);
    expect(one.body.facets?.kind).toEqual(everywhere.facets?.kind);
    expect(one.body.facets?.library).toEqual([{ value: 'ada/one', count: everywhere.total }]);
    expect(listed.body.facets).toEqual(one.body.facets);
  });

  test.each(['sort=title', 'facets=true', 'kind=mjcf&kind=urdf'])(
    '%s is refused without rank=relevance',
    async (query) => {
      const { status, body } = await ada.get<{ parameter: string }>(
        `/namespaces/ada/libraries/one/search?${query}`,
      );
      expect([status, body.parameter]).toEqual([400, query.slice(0, query.indexOf('='))]);
    },
  );

  test('facets include a filtered value without hits, and merge spellings that differ only by case', async () => {
    const query = new URLSearchParams('q=robot&kind=SPLAT&kind=mjcf&kind=urdf');
    const { facets, total } = await ask(service.anonymous, query, { facets: 'true' });
    const kinds = facets?.kind.map(({ value }) => value) ?? [];
    expect(facets?.kind[0]).toEqual({ value: 'SPLAT', count: 0 });
    expect(kinds.slice(1).sort()).toEqual(['mesh', 'mjcf', 'urdf']);
    expect(facets?.license).toEqual([{ value: 'MIT', count: total }]);
  });

  test.each([
    ['title', (hit: CrossLibraryHit) => (hit.title ?? '').toLowerCase()],
    ['size', (hit: CrossLibraryHit) => -hit.files.bytes],
  ] as const)(
    'sorting by %s holds across pages, with the same hits and scores as by relevance',
    async (sort, keyOf) => {
      for (const q of ['', 'big robot']) {
        const { hits, total } = await ask(ada, new URLSearchParams({ q, sort, limit: '200' }));
        expect(hits).toHaveLength(total);
        const keys = hits.map((hit): string | number => keyOf(hit));
        expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
        const pages = await Promise.all(
          [0, 20, 40, 60, 80].map((offset) =>
            ask(ada, new URLSearchParams({ q, sort, limit: '20', offset: String(offset) })),
          ),
        );
        expect(pages.flatMap((page) => page.hits.map(nameOf))).toEqual(hits.slice(0, 100).map(nameOf));
        const byRelevance = await ask(ada, new URLSearchParams({ q, limit: '200' }));
        expect(hits.map(nameOf).sort()).toEqual(byRelevance.hits.map(nameOf).sort());
        expect(new Map(hits.map((hit) => [nameOf(hit), hit.score]))).toEqual(
          new Map(byRelevance.hits.map((hit) => [nameOf(hit), hit.score])),
        );
      }
    },
  );

  test('sorting by newest lists the library published last first', async () => {
    const { hits } = await ask(ada, new URLSearchParams('q=robot&sort=newest&limit=200'));
    expect([...new Set(hits.map(({ library }) => library))]).toEqual(['secret', 'three', 'two', 'one']);
  });

  test('hidden libraries change no score, count, facet, suggestion or order', async () => {
    let made = 0;
    const hidden = fc.array(
      fc.record({
        title: fc.constantFrom('Big robto', 'Robot gripper', 'gripper', 'heavy red robot'),
        tags: fc.subarray(['blue', 'BLUE', 'HEAVY', 'secret']),
        kind: fc.constantFrom('mjcf', 'hidden-kind'),
        license: fc.constantFrom('mit', 'Secret'),
      }),
      { minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(
        hidden,
        fc.array(requests, { minLength: 3, maxLength: 6 }),
        async (secrets, queries) => {
          const viewers = [service.anonymous, bo];
          const answers = () =>
            Promise.all(
              viewers.flatMap((viewer) =>
                queries.map((query) => ask(viewer, query, { facets: 'true', explain: 'true' })),
              ),
            );
          const before = await answers();
          await publish(ada, `ada/hidden-${made++}`, {
            assets: secrets.map((asset, at) => ({
              ...asset,
              id: `s-${at}`,
              files: { [`s-${at}/a.obj`]: '' },
            })),
          });
          expect(withoutUrls(await answers())).toEqual(withoutUrls(before));
        },
      ),
      { numRuns: rounds({ short: 4, long: 100 }) },
    );
  });
});

function nameOf({ namespace, library, assetId }: CrossLibraryHit): string {
  return `${namespace}/${library}/${assetId}`;
}

/** Presigned URLs differ by the moment. */
function withoutUrls(answers: Envelope[]): Envelope[] {
  return answers.map((answer) => ({
    ...answer,
    hits: answer.hits.map((hit) => ({ ...hit, thumbnailUrl: null })),
  }));
}
