import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { classesOfLicense, type Manifest, type ManifestAsset } from '@bindery/contract';
import { stringify } from 'yaml';
import type { Collection, JudgedQuery } from './judged-set.ts';
import { SET } from './judged-set.ts';

interface WrittenSet {
  queries: readonly JudgedQuery[];
  manifests: ReadonlyMap<string, Manifest>;
  collections: readonly Collection[];
}

/**
 * Writes a judged set as a folder that can be published as a library and read again: queries, judgements, and what search
 * reads of each asset. Of an asset whose licence does not let others pass its texts on, only facts are written.
 */
export async function writeJudgedSet(folder: string, { queries, manifests, collections }: WrittenSet) {
  await mkdir(join(folder, SET.manifests), { recursive: true });
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  await write(SET.queries, listed(queries));
  await write(SET.collections, listed(collections));
  for (const [name, { schema, assets }] of manifests) {
    const lines = assets.map((asset) => JSON.stringify(passedOn(asset))).join(',\n');
    await write(join(SET.manifests, `${name}.json`), `{"schema": "${schema}", "assets": [\n${lines}\n]}\n`);
  }
  const assets = [...manifests.values()].flatMap((manifest) => manifest.assets);
  await write('README.md', readme(queries, assets, collections));
  const described = { title: TITLE, description: ABOUT, tags: ['search', 'benchmark'] };
  const set = { title: TITLE, description: ABOUT, license: 'Apache-2.0', kind: 'file', files: ['**'] };
  await write(
    'bindery.yml',
    stringify({ library: { name: 'search-quality', ...described }, assets: { 'judged-queries': set } }),
  );
}

const TITLE = 'Judged queries for searches of robots and 3D models';
const ABOUT =
  'Queries with the assets that are relevant to each, and what a search reads of the assets of public collections: facts, texts that may be passed on, links and licences.';

function listed(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]\n`;
}

/** Leaves out generated files, and the texts that may not be passed on. */
function passedOn({ description, thumbnail, ...asset }: ManifestAsset): ManifestAsset {
  const isOwnPicture = thumbnail !== undefined && asset.files.some(({ path }) => path === thumbnail);
  return {
    ...asset,
    ...(description !== undefined && mayBePassedOn(asset.license ?? null) && { description }),
    ...(isOwnPicture && { thumbnail }),
  };
}

function mayBePassedOn(license: string | null): boolean {
  const classes = classesOfLicense(license);
  const isFree = classes.some((name) => ['permissive', 'attribution', 'copyleft'].includes(name));
  return isFree && !classes.includes('non-commercial');
}

function readme(
  queries: readonly JudgedQuery[],
  assets: readonly ManifestAsset[],
  collections: readonly Collection[],
): string {
  const types = Map.groupBy(queries, ({ type }) => type);
  const licenses = Map.groupBy(assets, ({ license }) => license ?? 'not stated');
  return `# ${TITLE}

${queries.length} queries over ${assets.length} assets. \`${SET.queries}\` has the ids of the assets that are relevant to each, as \`<library>/<id>\`; no asset is
relevant to those of the type \`nothing\`. \`${SET.manifests}/\` has a Bindery manifest for each library: titles, tags, kinds, formats, licences, authors, links, what
models measure, and the names, sizes and SHA-256 of files, but not the files. Where the licence of an asset does not let others pass on its description, it is missing.

To run the benchmark of Bindery with it: \`npm run bench:quality -- --data <this folder>\`.

| Type | Queries |
| ---- | ------- |
${[...types].map(([type, own]) => `| ${type} | ${own.length} |`).join('\n')}

## Sources

${collections.map(({ name, repository, commit }) => `- \`${name}\`: ${repository} at \`${commit}\``).join('\n') || 'Not stated.'}

## Licences

Queries and judgements are under Apache-2.0. Descriptions are under the licence of their asset, which its line in \`${SET.manifests}/\` states with its author:

| Licence | Assets |
| ------- | ------ |
${[...licenses].map(([license, own]) => `| ${license} | ${own.length} |`).join('\n')}
`;
}
