import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { compareUtf8 } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { temporaryFolder } from '../folder.ts';

const DATA = join(import.meta.dirname, '../../../../../shared/data');
const LIBRARIES = ['menagerie-dev', 'gltf-dev', 'urdf-dev', 'splat-dev', 'lowpoly-dev'];

interface ListedAsset {
  library: string;
  id: string;
  [field: string]: unknown;
}

describe.skipIf(!existsSync(DATA))('real libraries (../shared/data)', () => {
  test.each(LIBRARIES)('%s is discovered as its author describes it', (library) => {
    const listed = readListed().filter((asset) => asset.library === library);
    const found = discoverLibrary(join(DATA, library)).assets.map(comparable);
    expect(found).toEqual(listed.map(comparable).sort((a, b) => compareUtf8(a.id, b.id)));
  });

  test('the XML files of menagerie-dev alone give the same ids, kinds, formats and entry points', () => {
    const folder = temporaryFolder();
    cpSync(join(DATA, 'menagerie-dev'), folder, {
      recursive: true,
      filter: (path) =>
        statSync(path).isDirectory() || (extname(path) === '.xml' && basename(path) !== 'bindery.yml'),
    });
    const appearance = ({ id, kind, format, entry, entryPoints }: Record<string, unknown>) => ({
      id,
      kind,
      format,
      entry,
      entryPoints,
    });
    const listed = readListed().filter(({ library }) => library === 'menagerie-dev');
    expect(discoverLibrary(folder).assets.map((asset) => appearance({ ...asset }))).toEqual(
      listed.map(appearance),
    );
  });
});

function readListed(): ListedAsset[] {
  return JSON.parse(readFileSync(join(DATA, 'assets.json'), 'utf8')).assets;
}

function comparable(asset: object) {
  const {
    id,
    title,
    description,
    category,
    tags,
    license,
    kind,
    format,
    entry,
    entryPoints,
    thumbnail,
    attribution,
    files,
  } = asset as Record<string, unknown>;
  return {
    id: String(id),
    title: title ?? null,
    description: description || null,
    category: category ?? null,
    tags: tags ?? [],
    license: license ?? null,
    kind,
    format: format ?? null,
    entry: entry ?? null,
    entryPoints: entryPoints ?? {},
    thumbnail: thumbnail ?? null,
    attribution: attribution ?? null,
    files: (files as { path: string; size: number }[]).map(({ path, size }) => ({ path, size })),
  };
}
