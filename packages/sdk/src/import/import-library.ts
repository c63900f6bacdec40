import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Manifest, ManifestAsset } from '@bindery/contract';
import { type Origin, readOrigin } from '@bindery/contract/wire';
import { withMeta } from '../artifacts/statistics.ts';
import type { Client } from '../client/client.ts';
import { ConflictError, ImportError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { sameFiles } from '../library/manifest.ts';
import { ManifestCache } from '../library/manifest-cache.ts';
import { type RemoteLibrary, readLibrary } from '../library/read-library.ts';
import { readFolder } from '../push/folder.ts';
import { type FolderPush, pushRead } from '../push/push.ts';
import type { PushOptions } from '../push/source.ts';
import { findHead } from '../push/target.ts';
import { BINDERY } from './bindery.ts';
import { BUCKET } from './bucket.ts';
import { claimFolder } from './claim.ts';
import { type FetchedTree, fetchTree } from './fetch-tree.ts';
import { FUEL } from './fuel.ts';
import { GIT } from './git.ts';
import { HUGGING_FACE } from './hugging-face.ts';
import { type Reach, UpstreamRequests } from './requests.ts';
import type { ParsedSource, SourceKind, UpstreamFolder, UpstreamTree } from './upstream.ts';
import { URL_LIST } from './url-list.ts';
import { WEB } from './web-folder.ts';

export { ImportError, type Reach };

const KINDS: readonly SourceKind[] = [HUGGING_FACE, FUEL, BUCKET, URL_LIST, GIT, WEB, BINDERY];

/** How sources are typed, one of each kind. */
export const SOURCE_EXAMPLES: readonly string[] = KINDS.map(({ example }) => example);

export interface ImportOptions extends Omit<PushOptions, 'plan'> {
  /** Remove assets that came from the source, and that it no longer has. */
  prune?: boolean | undefined;
  /** Where addresses and credentials of sources are; those of this process without it. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Where the source may be; anywhere without it. */
  reach?: Reach | undefined;
  /** The most bytes of a source; no limit without it. */
  maxBytes?: number | undefined;
}

export interface ImportResult extends FolderPush {
  /** The address of the source, and what it is pinned to. */
  source: string;
  sourceRevision: string | null;
  /** What was fetched for this import. */
  fetched: FetchedTree['fetched'];
  /** Assets that the source no longer has and that stay, as nothing said `prune`. */
  gone: string[];
  /** What is in the source and in no library, with the reason. */
  notImported: FetchedTree['leftOut'];
}

/**
 * Publishes what a source holds, pinned to what it is now: see `SOURCE_EXAMPLES`. What arrived in an earlier import is
 * not fetched again, and assets whose files stay the same keep what they say of their origin. Throws `ImportError`,
 * `ConflictError` if the source's history was rewritten, and what `pushFolder` throws.
 */
export async function importLibrary(
  client: Client,
  address: LibraryAddress,
  source: string,
  { prune = false, environment = process.env, reach, maxBytes, ...options }: ImportOptions,
): Promise<ImportResult> {
  const { key, open } = parseSource(source);
  const { cacheFolder, signal } = options;
  const folder = join(cacheFolder, 'imports', hash('sha256', `${key}\0${client.baseUrl}`).slice(0, 32));
  using _ = claimFolder(folder);
  const head = await findHead(client, address, options);
  const manifests = new ManifestCache(cacheFolder);
  const remote = head && (await readLibrary(client, address, head, { manifests, signal }));
  const requests = new UpstreamRequests({ reach });
  try {
    const tree = await open({ requests, folder, environment, signal });
    try {
      if (options.force !== true) await refuseRewritten(tree, address, remote, signal);
      const { origins, leftOut, fetched } = await fetchTree(tree, folder, { ...options, maxBytes });
      const read = await readFolder(join(folder, 'tree'), options);
      const stated = withAssetsOf(tree, read.local);
      const local = withOrigins(stated.manifest, tree, origins, remote);
      const gone = goneFrom(tree, local, remote);
      const pushed = await pushRead(
        client,
        address,
        { ...read, local },
        { ...options, coverage: 'part', removed: new Set(prune ? gone : []) },
      );
      return {
        ...pushed,
        source: tree.source,
        sourceRevision: tree.revision,
        fetched,
        gone: prune ? [] : gone,
        notImported: [...leftOut, ...stated.leftOut],
      };
    } finally {
      await tree.close();
    }
  } finally {
    await requests.close();
  }
}

/** Throws `ImportError` for what is no address of a source. */
export function parseSource(source: string): ParsedSource {
  for (const { parse } of KINDS) {
    const parsed = parse(source);
    if (parsed !== null) return parsed;
  }
  throw new ImportError(
    'source_invalid',
    `invalid source "${source}": expected one like ${SOURCE_EXAMPLES.join(', ')}`,
  );
}

/** Returns the manifest with the assets that the source says it has, as far as all their files are here. */
function withAssetsOf(
  { assets }: UpstreamTree,
  found: Manifest,
): { manifest: Manifest; leftOut: FetchedTree['leftOut'] } {
  if (assets === undefined) return { manifest: found, leftOut: [] };
  const here = new Set(found.assets.flatMap(({ files }) => files.map(({ path }) => path)));
  const isWhole = ({ files }: ManifestAsset) => files.every(({ path }) => here.has(path));
  const { whole = [], other = [] } = Object.groupBy(assets, (one) => (isWhole(one) ? 'whole' : 'other'));
  const leftOut = other.map(({ id }) => ({ path: id, reason: 'an asset with files that are left out' }));
  return { manifest: { ...found, assets: whole }, leftOut };
}

/** Returns the assets of the library that came from the source, and are no longer there. */
function goneFrom({ source }: UpstreamTree, local: Manifest, remote: RemoteLibrary | null): string[] {
  const ids = new Set(local.assets.map(({ id }) => id));
  const isFrom = ({ meta }: ManifestAsset) => readOrigin(meta)?.source === source;
  return (remote?.manifest.assets ?? [])
    .filter((asset) => !ids.has(asset.id) && isFrom(asset))
    .map(({ id }) => id);
}

async function refuseRewritten(
  tree: UpstreamTree,
  address: LibraryAddress,
  remote: RemoteLibrary | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { repo, commit } = remote?.manifest.library?.upstream ?? {};
  if (repo !== tree.source || commit === undefined) return;
  if ((await tree.continues(commit, signal)) !== false) return;
  throw new ConflictError(
    `${tree.source} was rewritten, or this is an earlier revision of it: ${tree.revision} does not follow ${commit}, which ${formatLibraryAddress(address)} holds. Nothing was changed.`,
    [],
    { code: 'source_rewritten', details: { source: tree.source, was: commit, is: tree.revision } },
  );
}

/** Returns the manifest with where each asset comes from, as far as its files are not those of the library. */
function withOrigins(
  local: Manifest,
  tree: UpstreamTree,
  origins: FetchedTree['origins'],
  remote: RemoteLibrary | null,
): Manifest {
  const earlier = new Map(remote?.manifest.assets.map((asset) => [asset.id, asset]));
  const assets = local.assets.map((asset): ManifestAsset => {
    const before = earlier.get(asset.id);
    const stated = { ...folderOf(asset, tree.folders), ...withoutUnset(asset) };
    if (before?.upstream?.url !== undefined && sameFiles(asset, before))
      return withMeta({ ...stated, upstream: before.upstream }, { import: before.meta?.import });
    const origin = origins.get(asset.entry ?? asset.files[0]?.path ?? '');
    if (origin === undefined) return asset;
    const { url, retrieved } = origin;
    const { source, revision } = tree;
    const about: Origin = { source, ...(revision !== null && { revision }), retrieved };
    // What is a copy at the source keeps saying of what.
    return withMeta({ ...stated, upstream: { url, ...asset.upstream } }, { import: about });
  });
  return { ...local, library: { ...tree.library, ...local.library }, assets };
}

/** What the source says of the folder in which all files of an asset are. */
function folderOf({ files }: ManifestAsset, folders: ReadonlyMap<string, UpstreamFolder>): UpstreamFolder {
  const [first = ''] = files.map(({ path }) => path);
  for (let end = first.indexOf('/'); end !== -1; end = first.indexOf('/', end + 1)) {
    const folder = folders.get(first.slice(0, end));
    const prefix = first.slice(0, end + 1);
    if (folder !== undefined && files.every(({ path }) => path.startsWith(prefix))) return folder;
  }
  return {};
}

/** What an asset does not state is no reason to leave out what its folder states. */
function withoutUnset(asset: ManifestAsset): ManifestAsset {
  const { license, attribution, ...others } = asset;
  return { ...others, ...(license != null && { license }), ...(attribution != null && { attribution }) };
}
