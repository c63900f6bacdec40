import type { MadeCertificate } from '@bindery/contract';
import {
  type AssetStatistics,
  deriveWords,
  formatClaim,
  formatDerivedWords,
  formatEngineVerdict,
  type MissingFiles,
  type Origin,
  readClaim,
  readMissing,
  readOrigin,
  readStatistics,
} from '@bindery/contract/wire';
import { formatLibraryAddress } from '@bindery/sdk';
import type { AssetInfo, LibraryInfo } from '@bindery/sdk/reading';
import { defineCommand } from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatBytes, formatCount, sanitizeLine, shortDigest, shortHash } from '../../output/text.ts';
import { asset, releasedAsset, share } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { explainReason } from './report.ts';

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
    const { assetInfo, libraryInfo, readCertificates, readHead, readRemoteLibrary } = await import(
      '@bindery/sdk/reading'
    );
    const head = await readHead(client, address, context.signal);
    const { manifest } = await readRemoteLibrary(client, address, head, await localOptions(context));
    if (asset === undefined) return libraryInfo(address, head, manifest);
    const card = assetInfo(address, head, manifest, asset);
    return { ...card, certificates: await readCertificates(client, address, card, context.signal) };
  },
  render: (result, output) => ('files' in result ? showAsset(result, output) : showLibrary(result, output)),
});

function oneAsset(named: string | undefined, chosen: string | undefined): string | undefined {
  if (named === undefined || chosen === undefined || named === chosen) return named ?? chosen;
  throw usageError('The asset is given twice.', `Leave out --asset ${chosen}, or name only the library.`);
}

const ONE_MODEL =
  'Vectors and queries use the same model. If the service changes its model, this library is searched by keyword until ' +
  '"bindery library push --thumbnails --embed" has computed vectors with the new one.';

function showLibrary(summary: LibraryInfo, output: Output): void {
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
    ['vectors', describeVectors(summary)],
    ['semantic search', semantic],
    ['digest', shortDigest(summary.digest)],
    ['updated', summary.updatedAt],
  ]);
  if (summary.semantic) output.note(ONE_MODEL);
}

function describeVectors({ vectorsDim, semantic, semanticReason }: LibraryInfo): string {
  const own = vectorsDim === null ? 'none' : `${vectorsDim} dimensions`;
  return semanticReason === 'on' && !semantic ? `${own}; made by the service` : own;
}

function showAsset(card: AssetInfo & { certificates: readonly MadeCertificate[] }, output: Output): void {
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
    ['statistics', formatStatistics(readStatistics(card.meta))],
    ['derived', sanitizeLine(formatDerivedWords(deriveWords(readStatistics(card.meta))))],
    ['incomplete', formatMissing(readMissing(card.meta))],
    ['imported', formatOrigin(readOrigin(card.meta))],
    ...card.certificates.flatMap((one): [string, string][] => [
      ['simulation', formatCertificate(one)],
      ...(one.engines ?? []).map((run): [string, string] => [
        'engine',
        sanitizeLine(formatEngineVerdict(run)),
      ]),
    ]),
    ['SimReady', formatSimReady(card.meta)],
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

/** `Robot-Body 1.0.0, 12 of 12 features passed, drop_test passed, says the author`; empty if nothing is claimed. */
function formatSimReady(meta: AssetInfo['meta']): string {
  const claim = readClaim(meta);
  return claim === null ? '' : sanitizeLine(`${formatClaim(claim)}, says the author`);
}

/** `passed in MuJoCo 3.14.0, says the publisher; mass-implausible, inertia-implausible (2)`. */
function formatCertificate({ verdict, mujoco, madeBy, problems }: MadeCertificate): string {
  const found = [...Map.groupBy(problems, ({ code }) => code)].map(([code, { length }]) =>
    length === 1 ? code : `${code} (${length})`,
  );
  const passed = `${verdict} in MuJoCo ${mujoco}, says the ${madeBy}`;
  return sanitizeLine([passed, ...(found.length > 0 ? [found.join(', ')] : [])].join('; '));
}

/** `2 files that it names are missing (meshes/hand.stl, …)`. */
function formatOrigin(origin: Origin | null): string {
  if (origin === null) return '';
  const { source, revision, retrieved } = origin;
  const at = revision === undefined ? '' : ` at ${revision.slice(0, 12)}`;
  return sanitizeLine(`${retrieved} from ${source}${at}`);
}

function formatMissing(missing: MissingFiles | null): string {
  if (missing === null) return '';
  const { total, names } = missing;
  const [first] = names;
  const example = first === undefined ? '' : ` (${first}${total > 1 ? ', …' : ''})`;
  const files = total === 1 ? 'a file that it names is' : `${formatCount(total, 'file')} that it names are`;
  return sanitizeLine(`${files} missing${example}`);
}

/** `1.31 × 0.355 × 0.263 m, 116,072 triangles, 7 bodies, 6 joints, 32.4 kg, 4 textures, 2 parts not shown`. */
export function formatStatistics(statistics: AssetStatistics): string {
  const { size, mass } = statistics;
  const counted = (name: keyof typeof COUNTED) => {
    const count = statistics[name];
    return count === undefined ? [] : [formatCount(count, ...COUNTED[name])];
  };
  return [
    ...(size === undefined ? [] : [`${size.map(threeDigits).join(' × ')} m`]),
    ...(['triangles', 'points', 'splats', 'bodies', 'joints'] as const).flatMap(counted),
    ...(mass === undefined ? [] : [`${threeDigits(mass)} kg`]),
    ...(['textures', 'animations', 'omitted'] as const).flatMap(counted),
  ].join(', ');
}

const COUNTED: Readonly<
  Record<
    Exclude<
      keyof AssetStatistics,
      'size' | 'up' | 'slides' | 'chains' | 'parts' | 'mass' | 'descriptor' | 'hands'
    >,
    readonly [one: string, many?: string]
  >
> = {
  triangles: ['triangle'],
  points: ['point'],
  splats: ['splat'],
  bodies: ['body', 'bodies'],
  joints: ['joint'],
  textures: ['texture'],
  animations: ['animation'],
  omitted: ['part not shown', 'parts not shown'],
};

export function threeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function counted(counts: Record<string, number>): string {
  return sanitizeLine(
    Object.entries(counts)
      .map(([value, number]) => `${value} ${number}`)
      .join(', '),
  );
}
