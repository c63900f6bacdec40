import type { FacetCounts } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const KINDS = ['mjcf', 'urdf', 'mesh'];
const CATEGORIES = ['arm', 'hand', 'drone', 'gripper'];
const LICENSES = ['MIT', 'Apache-2.0'];
const TAGS = ['six axes', 'blue', 'heavy'];

/** Assets whose values run through the lists at different paces, so that every combination is there. */
function assets(count: number): WrittenAsset[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `robot-${at}`,
    title: at % 5 === 0 ? 'Big robot' : 'Robot',
    kind: KINDS[at % 3] ?? 'mesh',
    category: CATEGORIES[at % 4] ?? 'arm',
    license: LICENSES[at % 2] ?? 'MIT',
    tags: TAGS.filter((_tag, bit) => (at >> bit) & 1),
    files: { [`robot-${at}/model.stl`]: String(at) },
  }));
}

const NAMES = ['kind', 'category', 'license', 'tag'] as const;

describe('facet counts', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    const ada = await service.member('ada');
    await publish(ada, 'ada/one', { visibility: 'public', assets: assets(60) });
    await publish(ada, 'ada/two', { visibility: 'public', assets: assets(7) });
    await publish(ada, 'ada/secret', { assets: assets(3) });
  });
  afterAll(() => service.close());

  async function count(path: string, query: Record<string, string>): Promise<FacetCounts> {
    const { status, body } = await service.anonymous.get<{ facets: FacetCounts }>(
      `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`,
    );
    expect(status).toBe(200);
    return body.facets;
  }

  async function total(path: string, query: Record<string, string>): Promise<number> {
    const { body } = await service.anonymous.get<{ total: number }>(
      `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ ...query, limit: '1' })}`,
    );
    return body.total;
  }

  const ONE = ['/namespaces/ada/libraries/one/facets', '/namespaces/ada/libraries/one/search'] as const;
  const BOTH = [
    '/library-facets?libraries=ada/one,ada/two',
    '/library-search?libraries=ada/one,ada/two',
  ] as const;

  test.each([
    [{}],
    [{ q: 'big' }],
    [{ q: 'robot', kind: 'mjcf' }],
    [{ kind: 'mjcf', category: 'arm' }],
    [{ q: 'big', tag: 'blue', license: 'MIT' }],
  ] as Record<string, string>[][])(
    'for %j equal the totals of a search with each value',
    async (query = {}) => {
      for (const [facets, search] of [ONE, BOTH]) {
        const counts = await count(facets, query);
        for (const name of NAMES) {
          for (const { value, count: counted } of counts[name]) {
            expect(counted, `${name} ${value}`).toBe(await total(search, { ...query, [name]: value }));
          }
        }
        expect(counts.kind.map(({ value }) => value).sort()).toEqual([...KINDS].sort());
      }
    },
  );

  test('are sorted with the most frequent value first', async () => {
    const { tag } = await count(ONE[0], {});
    expect(tag.map(({ count: counted }) => counted)).toEqual(
      tag.map(({ count: counted }) => counted).toSorted((a, b) => b - a),
    );
  });

  test('include a filtered value that no asset has, with count 0', async () => {
    const { kind } = await count(ONE[0], { q: 'robot', kind: 'splat' });
    expect(kind[0]).toEqual({ value: 'splat', count: 0 });
    expect(kind).toHaveLength(4);
  });

  test('leave out a library that the viewer cannot read, and are 404 for that library itself', async () => {
    const mixed = await count('/library-facets?libraries=ada/two,ada/secret', {});
    expect(mixed).toEqual(await count('/library-facets?libraries=ada/two', {}));
    const hidden = await service.anonymous.get('/namespaces/ada/libraries/secret/facets');
    expect(hidden).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});
