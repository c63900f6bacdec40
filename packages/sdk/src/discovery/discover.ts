import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURATION_FILE, compareUtf8, type ManifestAsset, type ManifestLibrary } from '@bindery/contract';
import { type CuratedAsset, type Curation, type ParsedCuration, parseCuration } from '../curation/index.ts';
import { sentenceWithPaths, TreeError } from '../failures.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { readHead } from '../tree/read-head.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { assetIdsFor } from './asset-id.ts';
import { type AssetSource, describeAsset } from './describe.ts';
import { FilesByPath, matcher, matcherWithFolders } from './globs.ts';
import { type Group, groupFiles, groupName, groupPath } from './groups.ts';

/** An asset as found in a folder: its manifest entry, before anything was hashed. */
export interface DiscoveredAsset extends Omit<ManifestAsset, 'files'> {
  files: ScannedFile[];
}

/** A library as found in a folder. */
export interface DiscoveredLibrary {
  /** The real path of the folder. */
  root: string;
  library: ManifestLibrary | undefined;
  /** Sorted by id. */
  assets: DiscoveredAsset[];
  /** The bytes of `bindery.yml`, which travel with the library. */
  curation: Buffer | null;
  /** What lies in the folder and is no part of the library, by the rules of every library or by `bindery.yml`. */
  leftOut: LeftOut[];
}

/**
 * Finds the assets of a folder by its shape and its `bindery.yml`. Nothing is hashed, and only heads of files are read.
 * Throws `TreeError` and `CurationError`.
 */
export function discoverLibrary(folder: string): DiscoveredLibrary {
  const tree = scanTree(folder);
  const curation = readCuration(tree.root);
  const parsed = curation === null ? NOTHING_CURATED : parseCuration(curation.toString('utf8'));
  const files = publishedFiles(tree.files, parsed.curation);
  const claims = claimFiles(files, parsed);
  const groups = groupFiles(unclaimed(files, claims), chosenAssets(parsed.curation));
  const assets = describeAll(tree.root, groups, claims, parsed);
  return { root: tree.root, library: parsed.curation.library, assets, curation, leftOut: tree.leftOut };
}

const NOTHING_CURATED: ParsedCuration = parseCuration('');

function readCuration(root: string): Buffer | null {
  const file = join(root, CURATION_FILE);
  return existsSync(file) ? readFileSync(file) : null;
}

function publishedFiles(files: readonly ScannedFile[], { discover }: Curation): ScannedFile[] {
  const excluded = matcherWithFolders(discover?.exclude ?? []);
  return files.filter(({ path }) => path !== CURATION_FILE && !excluded(path));
}

function chosenAssets({ discover }: Curation) {
  return discover?.assets === undefined ? null : matcher(discover.assets);
}

/** The files of each asset that names its own, by id. */
function claimFiles(
  files: readonly ScannedFile[],
  { curation, errorAt }: ParsedCuration,
): Map<string, ScannedFile[]> {
  const byPath = new FilesByPath(files);
  const claims = new Map<string, ScannedFile[]>();
  for (const [id, asset] of Object.entries(curation.assets ?? {})) {
    if (asset.files === undefined) continue;
    const claimed = new Set<ScannedFile>();
    for (const [at, glob] of asset.files.entries()) {
      const matching = byPath.matching(glob);
      if (matching.length === 0) throw errorAt(['assets', id, 'files', at], `${glob} matches no file`);
      for (const file of matching) claimed.add(file);
    }
    claims.set(
      id,
      [...claimed].sort((a, b) => compareUtf8(a.path, b.path)),
    );
  }
  return claims;
}

function unclaimed(files: readonly ScannedFile[], claims: ReadonlyMap<string, ScannedFile[]>): ScannedFile[] {
  const claimed = new Set([...claims.values()].flat());
  return files.filter((file) => !claimed.has(file));
}

function describeAll(
  root: string,
  groups: readonly Group[],
  claims: ReadonlyMap<string, ScannedFile[]>,
  parsed: ParsedCuration,
): DiscoveredAsset[] {
  const { curation, errorAt } = parsed;
  const read = (path: string, bytes: number) => readHead(join(root, path), bytes);
  const found = new Map(nameGroups(groups).map(({ id, group }) => [id, group]));
  refuseMeetings(found, claims, parsed);
  for (const id of Object.keys(curation.assets ?? {})) {
    if (!found.has(id) && !claims.has(id)) {
      throw errorAt(
        ['assets', id],
        `no folder or file makes an asset "${id}"; mend the id, give it "files", or take the entry out`,
      );
    }
  }

  const sources: AssetSource[] = [];
  for (const [id, files] of claims) sources.push({ id, files });
  for (const [id, { root, files }] of found) sources.push({ id, files, root });
  return sources
    .sort((a, b) => compareUtf8(a.id, b.id))
    .map((source) =>
      describeAsset(source, curatedAsset(curation, source.id), curation.defaults, read, (key, message) =>
        errorAt(['assets', source.id, ...key], message),
      ),
    );
}

function curatedAsset(curation: Curation, id: string): CuratedAsset | undefined {
  return curation.assets !== undefined && Object.hasOwn(curation.assets, id)
    ? curation.assets[id]
    : undefined;
}

/** Ids from the names of folders and files, from whole paths where two names are the same. */
function nameGroups(groups: readonly Group[]): { id: string; group: Group }[] {
  const counts = new Map<string, number>();
  for (const { root } of groups) counts.set(groupName(root), (counts.get(groupName(root)) ?? 0) + 1);
  const nameOf = ({ root }: Group) =>
    (counts.get(groupName(root)) ?? 0) > 1 ? groupPath(root) : groupName(root);
  const ids = assetIdsFor(groups.map(nameOf));
  return groups.map((group) => ({ id: ids.get(nameOf(group)) ?? '', group }));
}

function refuseMeetings(
  found: ReadonlyMap<string, Group>,
  claims: ReadonlyMap<string, ScannedFile[]>,
  { errorAt }: ParsedCuration,
): void {
  for (const id of claims.keys()) {
    const group = found.get(id);
    if (group === undefined) continue;
    const left = group.files.map(({ path }) => path);
    throw errorAt(
      ['assets', id, 'files'],
      sentenceWithPaths(`leaves files in ${group.root}, which would be a second asset "${id}":`, left),
    );
  }
}

/** Throws where nothing would be published, which is more likely a wrong folder than a wish. */
export function refuseEmptyLibrary({ root, assets }: DiscoveredLibrary): void {
  if (assets.length === 0)
    throw new TreeError(`${root} holds no asset: it needs a folder or a file that is not hidden`);
}
