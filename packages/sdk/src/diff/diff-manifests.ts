import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { sortedByUtf8 } from '@bindery/contract/wire';
import { canonicalJson, filesOf } from '../library/manifest.ts';

/** Names on one side only, and names on both sides with different contents; each list is sorted by UTF-8 bytes. */
export interface Differences {
  added: string[];
  removed: string[];
  changed: string[];
}

/** A stated fact that differs; undefined on the side that does not state it. */
export interface ChangedFact {
  /** The key in the manifest, such as `license`; a path such as `meta.payload_kg` for keys of `meta` and `upstream`. */
  fact: string;
  before: unknown;
  after: unknown;
}

/** An asset that both sides have, and that differs. */
export interface ChangedAsset {
  id: string;
  facts: ChangedFact[];
  /** By path. */
  files: Differences;
}

export interface ManifestDiff {
  /** What is stated about the library itself. */
  library: ChangedFact[];
  /** By id. An asset has changed if anything in its manifest entry has: a file or its metadata. */
  assets: Differences;
  /** By path, user files only. */
  files: Differences;
  /** What differs in each changed asset, in the order of `assets.changed`. */
  changes: ChangedAsset[];
}

/**
 * Compares two manifests, the earlier one first. Of parts of manifests, `shared` are the paths that one part lacks and
 * its whole has.
 */
export function diffManifests(
  before: Manifest,
  after: Manifest,
  shared: ReadonlySet<string> = new Set(),
): ManifestDiff {
  const [from, to] = [byId(before), byId(after)];
  const assets = differences(texts(from, assetText), texts(to, assetText));
  const files = differences(hashes(filesOf(before.assets)), hashes(filesOf(after.assets)));
  const withoutShared = (paths: readonly string[]) => paths.filter((path) => !shared.has(path));
  return {
    library: changedFacts(before.library ?? {}, after.library ?? {}),
    assets,
    files: {
      changed: files.changed,
      added: withoutShared(files.added),
      removed: withoutShared(files.removed),
    },
    changes: assets.changed.map((id) => changedAsset(from.get(id), to.get(id))).filter((one) => one !== null),
  };
}

function changedAsset(
  before: ManifestAsset | undefined,
  after: ManifestAsset | undefined,
): ChangedAsset | null {
  if (!before || !after) return null;
  const { id: _, files: filesBefore, ...factsBefore } = before;
  const { id, files: filesAfter, ...factsAfter } = after;
  return {
    id,
    facts: changedFacts(factsBefore, factsAfter),
    files: differences(hashes(filesOf([before])), hashes(filesOf([after]))),
  };
}

type Facts = Readonly<Record<string, unknown>>;

function changedFacts(before: Facts, after: Facts): ChangedFact[] {
  const [from, to] = [flattened(before), flattened(after)];
  const { added, removed, changed } = differences(texts(from, canonicalJson), texts(to, canonicalJson));
  return sortedByUtf8([...added, ...removed, ...changed]).map((fact) => ({
    fact,
    before: from.get(fact),
    after: to.get(fact),
  }));
}

/** The facts that are groups of others. */
const GROUPS: ReadonlySet<string> = new Set([
  'meta',
  'meta.statistics',
  'meta.missing',
  'upstream',
  'entryPoints',
]);

/** What a model looks like, in bytes: nothing that people compare. */
const DESCRIPTORS: ReadonlySet<string> = new Set(['meta.statistics.descriptor', 'meta.statistics.hands']);

function flattened(facts: Facts): Map<string, unknown> {
  return new Map(entriesOf('', facts));
}

function entriesOf(group: string, facts: Facts): [string, unknown][] {
  return Object.entries(facts).flatMap(([key, value]): [string, unknown][] => {
    const name = group + key;
    if (value === undefined || value === null || DESCRIPTORS.has(name)) return [];
    const isGroup = GROUPS.has(name) && typeof value === 'object' && !Array.isArray(value);
    return isGroup ? entriesOf(`${name}.`, value as Facts) : [[name, value]];
  });
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Differences {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, says]) => before.has(name) && before.get(name) !== says);
  return {
    added: sortedByUtf8(added),
    removed: sortedByUtf8(removed),
    changed: sortedByUtf8(changed.map(([name]) => name)),
  };
}

function byId({ assets }: Manifest): Map<string, ManifestAsset> {
  return new Map(assets.map((asset) => [asset.id, asset]));
}

function texts<Value>(
  values: ReadonlyMap<string, Value>,
  textOf: (value: Value) => string,
): Map<string, string> {
  return new Map([...values].map(([name, value]) => [name, textOf(value)]));
}

/** The order in which an asset lists its files does not matter. */
function assetText(asset: ManifestAsset): string {
  const files = asset.files.map(({ path, sha256 }) => [path, sha256]).sort();
  return canonicalJson({ ...asset, files });
}

function hashes(files: ReadonlyMap<string, ManifestFile>): Map<string, string> {
  return texts(files, ({ sha256 }) => sha256);
}
