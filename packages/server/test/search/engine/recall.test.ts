import { LIMITS } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../../../../../test/generated-texts.ts';
import { OpenSearchEngine } from '../../../src/adapters/opensearch/opensearch-engine.ts';
import type { EngineDocument } from '../../../src/search/engine/search-engine.ts';
import { cosine } from '../../../src/search/vectors/exact-rows.ts';
import { CLUSTER } from './engine-service.ts';

const ASSETS = 4_000;
const LIBRARIES = 40;
const LICENSES = ['mit', 'apache-2.0', 'cc0-1.0', 'cc-by-4.0'];
const COUNT = LIMITS.embedding.candidates;
const { dimensions } = LIMITS.embedding;

/** Vectors around some subjects, as those of texts are, with many that are about as near as the hundredth. */
function makeVectors(count: number, seed: number): Float32Array[] {
  const random = seeded(seed);
  const subjects = seeded(1);
  const spread = (source: () => number) => Float32Array.from({ length: dimensions }, () => source() - 0.5);
  const centres = Array.from({ length: 30 }, () => spread(subjects));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
    const vector = spread(random).map((value, at) => 1.5 * value + (centre[at] as number));
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

const vectors = makeVectors(ASSETS, 2);
const libraryOf = (asset: number) => 1 + (asset % LIBRARIES);
const licenseOf = (asset: number) => LICENSES[Math.floor(asset / LIBRARIES) % LICENSES.length] as string;

function documentOf(asset: number): EngineDocument {
  const license = licenseOf(asset);
  return {
    ...{ library: libraryOf(asset), assetId: `${asset}`, terms: [], titleLength: 0, titleKey: '' },
    ...{ values: [['license', license, license]], measures: {}, phrases: [] },
    vector: vectors[asset] as Float32Array,
    descriptor: null,
    hands: [],
    shown: { card: { assetId: `${asset}`, title: '' } } as unknown as EngineDocument['shown'],
  };
}

describe.skipIf(CLUSTER === '')('nearest neighbours in a search engine', () => {
  let port: OpenSearchEngine;
  let index: string;

  beforeAll(async () => {
    port = await OpenSearchEngine.connect(CLUSTER);
    index = await port.create();
    await port.add(
      index,
      1,
      Array.from({ length: ASSETS }, (_, asset) => documentOf(asset)),
    );
    await port.refresh(index);
  });
  afterAll(async () => {
    await port?.drop(index);
    await port?.close();
  });

  test.each([
    ['everything', LIBRARIES, null],
    ['half of the libraries', LIBRARIES / 2, null],
    ['half of the libraries and a license', LIBRARIES / 2, 'mit'],
    ['a few libraries', 4, null],
    ['a few libraries and a license', 4, 'mit'],
  ])('are at least 98 of the hundred exact ones in %s', async (_, count, license) => {
    const libraries = Array.from({ length: count }, (_, at) => 1 + at);
    const isEligible = (asset: number) =>
      libraryOf(asset) <= count && (license === null || licenseOf(asset) === license);
    let [found, wanted] = [0, 0];
    for (const query of makeVectors(20, 3)) {
      const exact = vectors
        .map((vector, asset) => ({ asset, score: cosine(vector, query) }))
        .filter(({ asset }) => isEligible(asset))
        .sort((a, b) => b.score - a.score)
        .slice(0, COUNT);
      const nearest = await port.nearest(
        { index, sequence: 1, unfinished: [], libraries },
        {
          filters: {
            libraries: null,
            asked: license === null ? {} : { license: [license] },
            query: { phrases: [], excluded: [] },
          },
          vector: query,
          count: COUNT,
        },
      );
      const ids = new Set(nearest.map(({ assetId }) => assetId));
      expect(nearest.filter(({ assetId }) => !isEligible(Number(assetId)))).toEqual([]);
      found += exact.filter(({ asset }) => ids.has(`${asset}`)).length;
      wanted += exact.length;
    }
    expect(found / wanted).toBeGreaterThanOrEqual(0.98);
  });
});
