import type { SearchHit } from '@bindery/contract';
import { afterEach, expect, test } from 'vitest';
import { publish } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';
import { sidecarFiles, vectorOf } from '../embeddings.ts';
import { ScriptedEncoder } from '../scripted-encoder.ts';

let service: TestService;
afterEach(() => service?.close());

const LIBRARY = '/namespaces/ann/libraries/parts';

async function withParts(query = 'zorbl', descriptions: Readonly<Record<string, string>> = {}) {
  const encoder = new ScriptedEncoder();
  encoder.relatedFrom = 0.3;
  encoder.vectors.set(query, vectorOf(1));
  service = await startService({ encoder });
  const ann = await service.member('ann');
  const cosines = { bowl: 0.8, jug: 0.7, mug: 0.2 };
  const assets = Object.keys(cosines).map((id) => ({
    id,
    title: `The ${id}`,
    tags: ['kitchen'],
    description: descriptions[id],
    files: { [`${id}/model.stl`]: id },
  }));
  const vectors = Object.entries(cosines).map(([id, cosine]) => [
    id,
    { image: vectorOf(cosine, Math.sqrt(1 - cosine ** 2)) },
  ]);
  await publish(ann, 'ann/parts', { assets, generated: sidecarFiles(Object.fromEntries(vectors)) });
  const search = async (more = '') => {
    const asked = `q=${encodeURIComponent(query)}&explain=true${more}`;
    const { body } = await ann.get<{ hits: SearchHit[] }>(`${LIBRARY}/search?${asked}`);
    return body.hits;
  };
  return { encoder, search };
}

test('of what is near, what says each word of the query comes first, and the score says so', async () => {
  const { encoder, search } = await withParts();
  encoder.compares = (text) => (text === 'The jug. kitchen' ? 0.5 : 0.1);
  const hits = await search('&rank=relevance');
  expect(hits.map(({ assetId, score }) => [assetId, score])).toEqual([
    ['jug', expect.closeTo(0.95, 5)],
    ['bowl', expect.closeTo(0.85, 5)],
  ]);
  const [jug] = hits;
  expect(jug?.explain).toMatchObject({ cosine: expect.closeTo(0.7, 5), vectorPart: expect.closeTo(0.95, 5) });
  const byTitle = await search('&rank=relevance&sort=title');
  expect(byTitle.map(({ assetId, score }) => [assetId, score])).toEqual([
    ['bowl', expect.closeTo(0.85, 5)],
    ['jug', expect.closeTo(0.95, 5)],
  ]);
});

test('words make nothing related, and change nothing in the order of the specification', async () => {
  const { encoder, search } = await withParts();
  const before = await search();
  expect(before.map(({ assetId }) => assetId)).toEqual(['bowl', 'jug', 'mug']);
  encoder.compares = (text) => (text === 'The mug. kitchen' ? 1 : 0);
  expect((await search('&rank=relevance')).map(({ assetId }) => assetId)).toEqual(['bowl', 'jug']);
  expect(await search()).toEqual(before);
});

test.each(['at least one handle', 'one or two handles', 'more than 1 handle'])(
  'what has more than the least that is asked for stays where it is (%s)',
  async (asked) => {
    const { search } = await withParts(`zorbl with ${asked}`, { bowl: 'Has three handles.' });
    const hits = await search('&rank=relevance');
    expect(hits.map(({ assetId }) => assetId)).toEqual(['bowl', 'jug']);
  },
);

test.each(['Has two handles.', 'It is 2-handled.'])(
  'what has more or fewer of something than is asked for comes after what is less near (%s)',
  async (other) => {
    const { search } = await withParts('zorbl with three handles', {
      bowl: other,
      jug: 'Of its 3 handles, two spouts are near.',
    });
    const hits = await search('&rank=relevance');
    expect(hits.map(({ assetId }) => assetId)).toEqual(['jug', 'bowl']);
  },
);
