import { routes } from '@bindery/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../../src/search/request.ts';
import { searchEverything } from '../../../src/search/search.ts';
import { databases } from '../../databases.ts';
import { publish } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';
import { seededVector, sidecarFiles, vectorOf } from '../embeddings.ts';
import { ScriptedEncoder } from '../scripted-encoder.ts';
import { CLUSTER, fed, WITH_ENGINE } from './engine-service.ts';

describe.skipIf(CLUSTER === '').each(databases)('meaning with a search engine over $name', ({ open }) => {
  let service: TestService;
  afterEach(() => service?.close());

  test.each([0.3, null])(
    'finds by vectors what this process finds, related from %s on, with filters and facets',
    async (relatedFrom) => {
      const encoder = new ScriptedEncoder();
      encoder.relatedFrom = relatedFrom;
      encoder.compares = (text) => (Number(/\d+/.exec(text)) % 5) / 5;
      encoder.vectors.set('vessel', vectorOf(1));
      encoder.vectors.set('red mug', vectorOf(0.8, 0.6));
      encoder.vectors.set('violin mug', vectorOf(0.1, 0.99));
      for (const [at, text] of ['xyzzyq', 'blorft wug', 'qwrtp zzkl', 'snarf gleeb tovu'].entries())
        encoder.vectors.set(text, seededVector(at + 1));
      service = await startService({ database: await open(), configuration: WITH_ENGINE, encoder });
      const ada = await service.member('ada');
      for (const library of ['cups', 'more', 'plain']) {
        const assets = Array.from({ length: 12 }, (_, number) => ({
          id: `${library}-${number}`,
          title: number % 3 === 0 ? `mug ${number}` : `thing ${number}`,
          tags: [number % 2 === 0 ? 'even' : 'odd'],
          license: number % 4 === 0 ? 'MIT' : 'CC0-1.0',
          files: { [`${library}-${number}/model.stl`]: `${library} ${number}` },
        }));
        const vectors = Object.fromEntries(
          assets.map(({ id }, number) => [
            id,
            { image: vectorOf((number + 1) / 14, number % 2 ? 0.2 : -0.2) },
          ]),
        );
        await publish(ada, `ada/${library}`, {
          assets,
          ...(library === 'plain' ? {} : { generated: sidecarFiles(vectors) }),
        });
      }
      await fed(service);
      const { context } = service;
      const { authorization } = ada.headers;
      const viewer = await context.authenticate({ authorization, shareToken: undefined });
      for (const query of [
        { q: 'vessel' },
        { q: 'red mug', facets: 'true' },
        { q: 'red mug', facets: 'true', tag: ['even'], license: ['MIT'] },
        { q: 'red mug', facets: 'true', library: ['ada/more'] },
        { q: 'vessel', match: 'meaning', facets: 'true', tag: ['odd'] },
        { q: 'red mug', match: 'words', sort: 'title' },
        { q: 'vessel', sort: 'size' },
        { q: 'violin mug', library: ['ada/cups', 'ada/more'] },
        { q: 'red mug', offset: '5', limit: '4', sort: 'newest' },
      ]) {
        const parsed = routes.search.searchEverything.query.parse(query);
        const request = requestOf({ ...parsed, rank: 'relevance' });
        const engine = await searchEverything(context, viewer, request);
        expect(context.engine?.isTrusted).toBe(true);
        const alone = await searchEverything({ ...context, engine: null }, viewer, request);
        expect(alone.reason).toBe('on');
        expect.soft({ query, ...engine }).toEqual(aboutAs({ query, ...alone }));
      }
    },
  );
});

/** The engine has cosines of 32 bits. */
function aboutAs(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 5);
  if (Array.isArray(value)) return value.map(aboutAs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, aboutAs(one)]));
}
