import type { LibraryDetail, Manifest, ManifestAsset } from '@bindery/contract';
import { effectiveLicense, routes, SEMANTIC_HEADER } from '@bindery/contract/wire';
import {
  AssetNotFoundError,
  type Client,
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  readQuery,
} from '@bindery/sdk';
import { defineCommand } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatBytes, formatCount, sanitizeLine, shortDigest, shortHash } from '../../output/text.ts';
import { asset, releasedAsset, share } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { explainReason } from './semantic-reason.ts';

export const info = defineCommand({
  name: 'info',
  aliases: ['show', 'inspect'],
  summary: 'Show a library or one of its assets',
  inputs: { library: releasedAsset, asset, share },
  examples: [
    ['bindery library info acme/robots', 'what the library holds'],
    ['bindery library info acme/robots@v1.2', 'what it held when it was released'],
    ['bindery library info acme/robots/arm', 'one asset with the digest of its files'],
  ],
  async run({ library, share, ...chosen }, context) {
    const asset = oneAsset(library.asset, chosen.asset);
    const address = { ...library, share };
    const client = await context.client();
    const { readHead, readRemoteLibrary } = await import('@bindery/sdk/reading');
    const reason = asset === undefined ? semanticReason(client, address) : Promise.resolve('unknown');
    // If reading the library fails, that error is the one to show.
    reason.catch(() => undefined);
    const head = await readHead(client, address, context.signal);
    const { manifest } = await readRemoteLibrary(client, address, head, await localOptions(context));
    const { row } = head;
    if (asset !== undefined) return assetCard(address, row, manifest, asset);
    return librarySummary(address, row, manifest, await reason);
  },
  render: (result, output) => ('files' in result ? showAsset(result, output) : showLibrary(result, output)),
});

function oneAsset(named: string | undefined, chosen: string | undefined): string | undefined {
  if (named === undefined || chosen === undefined || named === chosen) return named ?? chosen;
  throw usageError('The asset is given twice.', `Leave out --asset ${chosen}, or name only the library.`);
}

type Counts = Record<string, number>;

async function librarySummary(
  { release }: LibraryAddress,
  row: LibraryDetail,
  manifest: Manifest,
  semanticReason: string,
) {
  const { digestOf, filesOf } = await import('@bindery/sdk/reading');
  const files = [...filesOf(manifest.assets).values()];
  return {
    namespace: row.namespace,
    name: row.name,
    ...(release === undefined ? {} : { release }),
    title: row.title,
    description: row.description,
    provider: row.provider,
    homepage: row.homepage,
    license: row.license,
    tags: row.tags,
    visibility: row.visibility,
    revision: row.revision,
    assetCount: manifest.assets.length,
    fileCount: files.length,
    totalBytes: files.reduce((sum, { size }) => sum + size, 0),
    digest: digestOf(files),
    kinds: tally(manifest.assets, ({ kind }) => kind ?? 'file'),
    categories: tally(manifest.assets, ({ category }) => category),
    licenses: tally(manifest.assets, (asset) => effectiveLicense(asset, manifest.library)),
    semantic: row.semantic,
    semanticReason,
    vectorsDim: row.vectorsDim,
    thumbnails: countThumbnails(manifest),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

async function assetCard(address: LibraryAddress, row: LibraryDetail, manifest: Manifest, id: string) {
  const { digestOf, findAsset } = await import('@bindery/sdk/reading');
  const found = findAsset(manifest, id);
  if (found === undefined) throw new AssetNotFoundError(formatLibraryAddress(address), [id]);
  return {
    library: formatLibraryAddress(address),
    revision: row.revision,
    id: found.id,
    title: found.title ?? null,
    description: found.description ?? null,
    category: found.category ?? null,
    tags: found.tags ?? [],
    kind: found.kind ?? 'file',
    format: found.format ?? null,
    license: effectiveLicense(found, manifest.library),
    attribution: found.attribution ?? null,
    upstream: found.upstream ?? null,
    entry: found.entry ?? null,
    entryPoints: found.entryPoints ?? {},
    thumbnail: found.thumbnail ?? null,
    meta: found.meta ?? {},
    digest: digestOf(found.files),
    fileCount: found.files.length,
    totalBytes: found.files.reduce((sum, { size }) => sum + size, 0),
    files: found.files,
  };
}

/** Returns why a search would be semantic or not, which the service reports with each search. */
async function semanticReason(client: Client, address: LibraryAddress): Promise<string> {
  const { headers } = await client.raw(routes.search.searchLibrary, {
    params: libraryParams(address),
    query: { q: 'a', limit: 1, ...readQuery(address) },
  });
  return headers[SEMANTIC_HEADER] ?? 'unknown';
}

/** `drawn` counts platform artifacts: `push --thumbnails` draws models, and reduces authors' large pictures. */
function countThumbnails({ assets, generated = [] }: Manifest) {
  const artifacts = new Set(generated);
  const shown = assets.flatMap(({ thumbnail }) => thumbnail ?? []);
  const drawn = shown.filter((path) => artifacts.has(path)).length;
  return { authored: shown.length - drawn, drawn, missing: assets.length - shown.length };
}

function tally(
  assets: readonly ManifestAsset[],
  of: (asset: ManifestAsset) => string | null | undefined,
): Counts {
  const counts = new Map<string, number>();
  for (const asset of assets) {
    const value = of(asset);
    if (value !== null && value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)));
}

const ONE_MODEL =
  'Vectors and queries use the same model. If the service changes its model, this library is searched by keyword until ' +
  '"bindery library push --thumbnails --embed" has computed vectors with the new one.';

function showLibrary(summary: Awaited<ReturnType<typeof librarySummary>>, output: Output): void {
  const { semanticReason: reason } = summary;
  const semantic = reason === 'on' ? 'on' : `off (${explainReason(reason)})`;
  const { authored, drawn, missing } = summary.thumbnails;
  output.fields([
    ['library', formatLibraryAddress(summary)],
    ['title', sanitizeLine(summary.title ?? '')],
    ['description', sanitizeLine(summary.description ?? '')],
    ['provider', sanitizeLine(summary.provider ?? '')],
    ['homepage', sanitizeLine(summary.homepage ?? '')],
    ['license', sanitizeLine(summary.license ?? '')],
    ['tags', sanitizeLine(summary.tags.join(', '))],
    ['visibility', summary.visibility],
    ['revision', String(summary.revision)],
    [
      'holds',
      `${formatCount(summary.assetCount, 'asset')}, ${formatCount(summary.fileCount, 'file')}, ${formatBytes(summary.totalBytes)}`,
    ],
    ['kinds', counted(summary.kinds)],
    ['categories', counted(summary.categories)],
    ['licenses', counted(summary.licenses)],
    ['thumbnails', `${authored} by the authors, ${drawn} made by a push, ${missing} missing`],
    ['vectors', summary.vectorsDim === null ? 'none' : `${summary.vectorsDim} dimensions`],
    ['semantic search', semantic],
    ['digest', shortDigest(summary.digest)],
    ['updated', summary.updatedAt],
  ]);
  if (reason === 'on') output.note(ONE_MODEL);
}

function showAsset(card: Awaited<ReturnType<typeof assetCard>>, output: Output): void {
  output.fields([
    ['asset', `${card.library}/${card.id}`],
    ['title', sanitizeLine(card.title ?? '')],
    ['description', sanitizeLine(card.description ?? '')],
    ['category', card.category ?? ''],
    ['kind', card.format === null ? card.kind : `${card.kind} (${card.format})`],
    ['license', sanitizeLine(card.license ?? '')],
    ['attribution', sanitizeLine(card.attribution ?? '')],
    ['tags', sanitizeLine(card.tags.join(', '))],
    ['entry', sanitizeLine(card.entry ?? '')],
    ['entry points', sanitizeLine(Object.keys(card.entryPoints).join(', '))],
    ['holds', `${formatCount(card.fileCount, 'file')}, ${formatBytes(card.totalBytes)}`],
    ['digest', shortDigest(card.digest)],
  ]);
  output.line();
  output.table({
    headings: ['size', 'sha256', 'path'],
    rightAligned: [0],
    untruncated: true,
    rows: card.files.map(({ size, sha256, path }) => [
      formatBytes(size),
      shortHash(sha256),
      sanitizeLine(path),
    ]),
  });
}

function counted(counts: Counts): string {
  return sanitizeLine(
    Object.entries(counts)
      .map(([value, number]) => `${value} ${number}`)
      .join(', '),
  );
}
