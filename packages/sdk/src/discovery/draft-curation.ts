import { Document, isScalar, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { DiscoveredAsset, DiscoveredLibrary } from './discovered-library.ts';
import type { Origins } from './metadata/derive.ts';

const HEAD = ` What this library is. Everything below was found in the folder; change what is wrong, and remove
 what can be found again at each push. The comment after a value says where it came from.
`;
const KEYS = ['title', 'description', 'category', 'tags', 'license', 'attribution', 'thumbnail'] as const;

/** Returns a `bindery.yml` that declares what was found, ready to be edited. It produces the same assets. */
export function draftCuration({ assets, origins, leftOut }: DiscoveredLibrary, name: string): string {
  const unused = leftOut.filter(({ reason }) => reason === 'in no asset').map(({ path }) => path);
  const document = new Document({
    library: { title: name },
    assets: Object.fromEntries(assets.map((asset) => [asset.id, statedValues(asset)])),
  });
  document.commentBefore = HEAD;
  const entries = document.get('assets') as YAMLMap;
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  for (const { key, value } of entries.items) {
    if (!isScalar(key)) continue;
    const asset = byId.get(String(key.value));
    if (asset === undefined) continue;
    key.commentBefore = ` ${appearance(asset)}`;
    remark(value as YAMLMap, origins.get(asset.id) ?? {});
  }
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return unused.length === 0 ? text : `${text}\n${unusedRemark(unused)}`;
}

function statedValues(asset: DiscoveredAsset): Record<string, unknown> {
  return Object.fromEntries(
    KEYS.flatMap((key) => (asset[key] === undefined || asset[key] === null ? [] : [[key, asset[key]]])),
  );
}

function appearance({ kind, entry, files }: DiscoveredAsset): string {
  const opens = entry === undefined ? 'no viewer opens it' : `opens ${entry}`;
  return `${kind}, ${opens}, ${files.length} ${files.length === 1 ? 'file' : 'files'}`.replace(
    /[\r\n]/g,
    ' ',
  );
}

function remark(asset: YAMLMap, from: Origins): void {
  for (const { key, value } of asset.items as Pair<Scalar, Scalar | YAMLMap>[]) {
    const origin = from[String(key.value)];
    if (origin === undefined || value === null) continue;
    if (isScalar(value)) value.comment = ` ${origin.replace(/[\r\n]/g, ' ')}`;
    else {
      value.flow = true;
      value.comment = ` ${origin}`;
    }
  }
}

const MAX_UNUSED = 50;

function unusedRemark(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_UNUSED).map((path) => `#   ${path.replace(/[\r\n]/g, ' ')}`);
  const more = paths.length > MAX_UNUSED ? [`#   and ${paths.length - MAX_UNUSED} more`] : [];
  return [
    '# In no asset, since nothing uses them ("files" of an asset adds them):',
    ...shown,
    ...more,
    '',
  ].join('\n');
}
