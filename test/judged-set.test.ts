import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MANIFEST_SCHEMA, type Manifest, type ManifestAsset } from '@bindery/contract';
import { expect, onTestFinished, test } from 'vitest';
import { readJudgedSet } from '../bench/quality/judged-set.ts';
import { qualityOf, silenceOf } from '../bench/quality/measures.ts';
import { stripped } from '../bench/quality/strip.ts';
import { writeJudgedSet } from '../bench/quality/write-set.ts';

const asset = (id: string, license: string | null, more: Partial<ManifestAsset> = {}): ManifestAsset => ({
  id,
  title: id,
  description: `About ${id}.`,
  license,
  files: [{ path: `${id}/model.stl`, size: 1, sha256: '0'.repeat(64) }],
  ...more,
});

test('a judged set is read as it was written, without descriptions that others may not pass on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-judged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const queries = [
    { q: 'mug', type: 'words', relevant: ['home/mug'] },
    { q: 'giraffe', type: 'nothing', relevant: [] },
  ];
  const collections = [
    { name: 'home', repository: 'https://example.org/home', commit: 'c0ffee', folder: '.' },
  ];
  const assets = [
    asset('mug', 'MIT', { thumbnail: '.bindery/thumbs/mug.webp' }),
    asset('cup', null),
    asset('jar', 'CC-BY-NC-4.0'),
    asset('pot', 'CC-BY-4.0', { attribution: 'Ada' }),
  ];
  const manifests = new Map<string, Manifest>([
    ['home', { schema: MANIFEST_SCHEMA, assets, generated: ['.bindery/thumbs/mug.webp'] }],
  ]);
  await writeJudgedSet(folder, { queries, manifests, collections });

  const { description: _, ...cup } = asset('cup', null);
  const { description: __, ...jar } = asset('jar', 'CC-BY-NC-4.0');
  const passedOn = [asset('mug', 'MIT'), cup, jar, asset('pot', 'CC-BY-4.0', { attribution: 'Ada' })];
  expect(readJudgedSet(folder)).toEqual({
    queries,
    collections,
    libraries: [{ name: 'home', manifest: { schema: MANIFEST_SCHEMA, assets: passedOn } }],
  });
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('https://example.org/home at `c0ffee`');
});

test('searches are measured by their first ten hits, and by what they find where there is nothing', () => {
  const relevant = ['a', 'b'];
  const ranked = [
    { q: 'one', type: 'words', relevant, ranked: ['a', 'x', 'b'] },
    { q: 'other', type: 'words', relevant, ranked: [...'xxxxxxxxxx', 'a'] },
    { q: 'giraffe', type: 'nothing', relevant: [], ranked: ['x'] },
    { q: 'volcano', type: 'nothing', relevant: [], ranked: [] },
  ];
  const { queries, recall, ndcg, reciprocalRank } = qualityOf(ranked);
  expect([queries, recall]).toEqual([2, 0.5]);
  expect(ndcg).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3)) / 2);
  expect(reciprocalRank).toBeCloseTo((1 + 1 / 11) / 2);
  expect(silenceOf(ranked)).toEqual({ queries: 2, silent: 0.5, hits: 0.5 });
});

test('an asset is stripped of everything that somebody has written or named', () => {
  const statistics = { joints: 6 };
  const mug = asset('mug', 'MIT', {
    entry: 'mug/model.stl',
    tags: ['cup'],
    format: 'stl',
    meta: { statistics, note: 'red' },
  });
  const { manifest, ids } = stripped({ schema: MANIFEST_SCHEMA, assets: [mug] });
  expect(manifest.assets).toEqual([
    {
      id: 'a00001',
      format: 'stl',
      entry: 'a00001/00001.stl',
      files: [{ path: 'a00001/00001.stl', size: 1, sha256: '0'.repeat(64) }],
      meta: { statistics },
    },
  ]);
  expect([...ids]).toEqual([['a00001', 'mug']]);
});
