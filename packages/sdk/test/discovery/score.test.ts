import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DiscoveredAsset } from '../../src/discovery/discovered-library.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { temporaryFolder } from '../folder.ts';

const DATA = join(import.meta.dirname, '../../../../../shared/data');
const LISTS = [
  { list: 'assets.json', folder: (library: string) => library },
  { list: 'raw/assets.json', folder: (library: string) => `raw/${library === 'urdf' ? 'makers' : library}` },
];
/** Of all assets, those that must be right in entry, kind and files. What is better than this is noted here. */
const FLOOR = 0.98;

interface ListedAsset {
  library: string;
  id: string;
  title: string;
  license: string | null;
  kind: string;
  entry: string;
  files: { path: string }[];
}

interface Score {
  assets: number;
  right: number;
  wrong: string[];
  /** Found where there is none. */
  surplus: string[];
}

describe.skipIf(!existsSync(DATA))('real collections (../shared/data without any bindery.yml)', () => {
  const libraries = existsSync(DATA) ? readLibraries() : [];

  test('give nearly all assets that a person listed, and no others', () => {
    const scores = libraries.map(({ assets, folder }) => scoreOf(assets, found(folder)));
    const total = scores.reduce((sum, { assets }) => sum + assets, 0);
    const right = scores.reduce((sum, score) => sum + score.right, 0);
    const report = scores.flatMap(({ wrong, surplus }) => [...wrong, ...surplus]);
    process.stdout.write(`discovery: ${right} of ${total} assets right; ${report.join('; ')}\n`);
    expect(right / total, report.join('\n')).toBeGreaterThanOrEqual(FLOOR);
    expect(scores.flatMap(({ surplus }) => surplus)).toEqual([]);
  });

  test('give the same assets again from the files of all assets, and each asset from its own files', () => {
    for (const { folder } of libraries) {
      const assets = found(folder);
      expect(appearances(found(copied(folder, pathsOf(assets))))).toEqual(appearances(assets));
      for (const asset of assets) {
        const alone = found(copied(folder, pathsOf([asset])));
        expect(alone.map(({ kind, entry }) => ({ kind, entry }))).toEqual([
          { kind: asset.kind, entry: asset.entry },
        ]);
        expect(pathsOf(alone)).toEqual(pathsOf([asset]));
      }
    }
  });
});

function readLibraries(): { folder: string; assets: ListedAsset[] }[] {
  return LISTS.flatMap(({ list, folder }) => {
    const { assets } = JSON.parse(readFileSync(join(DATA, list), 'utf8')) as { assets: ListedAsset[] };
    return [...Map.groupBy(assets, ({ library }) => library)].map(([library, listed]) => ({
      folder: join(DATA, folder(library)),
      assets: listed,
    }));
  });
}

function found(folder: string): DiscoveredAsset[] {
  if (!existsSync(join(folder, 'bindery.yml'))) return discoverLibrary(folder).assets;
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== 'bindery.yml' });
  return discoverLibrary(copy).assets;
}

function copied(folder: string, paths: readonly string[]): string {
  const copy = temporaryFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(folder, path), join(copy, path));
  }
  return copy;
}

function scoreOf(listed: readonly ListedAsset[], assets: readonly DiscoveredAsset[]): Score {
  const score: Score = { assets: listed.length, right: 0, wrong: [], surplus: [] };
  const met = new Set<DiscoveredAsset>();
  for (const asset of listed) {
    const same =
      assets.find(({ entry }) => entry === asset.entry) ??
      assets.find(({ files }) => files.some(({ path }) => path === asset.entry));
    const problem = problemOf(asset, same);
    if (same !== undefined) met.add(same);
    if (problem === null) score.right++;
    else score.wrong.push(`${asset.library}/${asset.id} ${problem}`);
  }
  score.surplus = assets.filter((asset) => !met.has(asset)).map(({ id }) => id);
  return score;
}

function problemOf(listed: ListedAsset, asset: DiscoveredAsset | undefined): string | null {
  if (asset === undefined) return 'is not found';
  if (asset.entry !== listed.entry) return `opens ${asset.entry} and not ${listed.entry}`;
  if (asset.kind !== listed.kind) return `is ${asset.kind} and not ${listed.kind}`;
  const own = new Set(asset.files.map(({ path }) => path));
  const lacking = listed.files.filter(({ path }) => !own.has(path));
  return lacking.length === 0 ? null : `lacks ${lacking.map(({ path }) => path).join(', ')}`;
}

function pathsOf(assets: readonly DiscoveredAsset[]): string[] {
  return [...new Set(assets.flatMap(({ files }) => files.map(({ path }) => path)))].sort();
}

function appearances(assets: readonly DiscoveredAsset[]) {
  return assets.map((asset) => ({
    id: asset.id,
    kind: asset.kind,
    entry: asset.entry,
    files: pathsOf([asset]),
  }));
}
