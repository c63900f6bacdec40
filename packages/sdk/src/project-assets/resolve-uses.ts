import type { Manifest, ManifestAsset } from '@bindery/contract';
import { compareUtf8, DEFAULT_KIND, effectiveLicense } from '@bindery/contract/wire';
import parse from 'spdx-expression-parse';
import { ConflictError, ProjectFileError, sentenceWithPaths } from '../failures.ts';
import { compileGlob } from '../globs/glob.ts';
import { digestOf, findAsset } from '../library/manifest.ts';
import { ASSETS_FILE, canonicalUses, type LocatedUse } from './assets-file.ts';
import type { Lock, LockedAsset, LockedLibrary } from './lock.ts';
import { formatUse, libraryOf, type Selector } from './use.ts';

/** The revision of a library that uses are resolved against. */
export interface LibraryRevision {
  locked: LockedLibrary;
  manifest: Manifest;
}

/**
 * Resolves uses to single assets with names. The order of uses does not matter. An asset that matches a pattern and is
 * also used by its id under another name gets only that name. Throws `ProjectFileError` if a use matches nothing, or if
 * two assets would have the same name.
 */
export function resolveUses(
  uses: readonly LocatedUse[],
  libraries: ReadonlyMap<string, LibraryRevision>,
): Lock {
  const found = uses.flatMap((use) => matchUse(use, revisionOf(use, libraries)));
  const renamed = new Set(found.filter(({ use }) => use.as !== null).map(({ asset }) => addressOf(asset)));
  const kept = found.filter(({ use, asset }) => use.selector.by === 'id' || !renamed.has(addressOf(asset)));
  const assets = new Map<string, { use: LocatedUse; asset: LockedAsset }>();
  for (const { use, asset } of kept) {
    const before = assets.get(asset.name);
    if (before !== undefined && addressOf(before.asset) !== addressOf(asset))
      throw duplicateNameError(use, asset, before);
    assets.set(asset.name, { use, asset });
  }
  const names = [...new Set(uses.map(libraryOf))].sort(compareUtf8);
  return {
    uses: canonicalUses(uses),
    libraries: Object.fromEntries(
      names.flatMap((name) => {
        const revision = libraries.get(name);
        return revision === undefined ? [] : [[name, revision.locked]];
      }),
    ),
    assets: [...assets.values()].map(({ asset }) => asset).sort((a, b) => compareUtf8(a.name, b.name)),
  };
}

function revisionOf(use: LocatedUse, libraries: ReadonlyMap<string, LibraryRevision>): LibraryRevision {
  const revision = libraries.get(libraryOf(use));
  if (revision === undefined) throw new Error(`${libraryOf(use)} was not read`);
  return revision;
}

function matchUse(
  use: LocatedUse,
  { locked, manifest }: LibraryRevision,
): { use: LocatedUse; asset: LockedAsset }[] {
  const library = libraryOf(use);
  const matches = matcherOf(use.selector, manifest);
  const meant = manifest.assets.filter(matches);
  if (meant.length === 0) {
    const { release, revision } = locked;
    const where = release === undefined ? `revision ${revision}` : `release ${release}`;
    throw problem(use, `${formatUse(use)} matches no asset of ${library} in ${where}`);
  }
  return meant.map((asset) => ({ use, asset: lockedAsset(use.as ?? asset.id, library, asset) }));
}

/** Returns a test of whether an asset of the library is selected. */
export function matcherOf(selector: Selector, { library }: Manifest): (asset: ManifestAsset) => boolean {
  if (selector.by === 'id') return ({ id }) => id === selector.id;
  if (selector.by === 'pattern') {
    const matches = compileGlob(selector.pattern);
    return ({ id }) => matches(id);
  }
  return (asset) =>
    selector.filters.every(([fact, value]) => {
      if (fact === 'kind') return (asset.kind ?? DEFAULT_KIND) === value;
      if (fact === 'tag') return asset.tags?.includes(value) === true;
      return effectiveLicense(asset, library) === value;
    });
}

function lockedAsset(name: string, library: string, { id, files, entry }: ManifestAsset): LockedAsset {
  const [only, ...more] = files;
  const opened = entry ?? (more.length === 0 ? only?.path : undefined);
  return {
    name,
    library,
    asset: id,
    digest: digestOf(files),
    ...(opened === undefined ? {} : { entry: opened }),
  };
}

function addressOf({ library, asset }: LockedAsset): string {
  return `${library}/${asset}`;
}

function duplicateNameError(
  use: LocatedUse,
  asset: LockedAsset,
  before: { use: LocatedUse; asset: LockedAsset },
): ProjectFileError {
  const both = `${addressOf(asset)} and, by line ${before.use.line}, ${addressOf(before.asset)}`;
  return problem(use, `${both} would both be named ${asset.name} here; rename one with "as"`);
}

function problem({ line, column }: LocatedUse, message: string): ProjectFileError {
  return new ProjectFileError(ASSETS_FILE, [{ line, column, message }]);
}

/** Throws `ConflictError` with the assets of a lock whose licences the project refuses, if there are any. */
export function refuseDeniedLicenses(
  denied: readonly string[],
  lock: Lock,
  revisions: ReadonlyMap<string, LibraryRevision>,
): void {
  if (denied.length === 0) return;
  const refused = lock.assets.flatMap(({ library, asset: id }) => {
    const manifest = revisions.get(library)?.manifest;
    const asset = manifest && findAsset(manifest, id);
    const license = asset && effectiveLicense(asset, manifest.library);
    return license && isDenied(license, denied) ? [`${library}/${id} (${license})`] : [];
  });
  if (refused.length > 0) {
    throw new ConflictError(
      sentenceWithPaths(`${ASSETS_FILE} refuses the licences of these assets; nothing was written:`, refused),
      refused,
    );
  }
}

/**
 * Whether a licence offers no choice without a denied one: `MIT OR GPL-3.0-only` is denied only if both are. Text that
 * is not an SPDX expression is compared as it is, ignoring letter case.
 */
export function isDenied(license: string, denied: readonly string[]): boolean {
  const names = new Set(denied.map((name) => name.toLowerCase()));
  try {
    return isExpressionDenied(parse(license), names);
  } catch {
    return names.has(license.trim().toLowerCase());
  }
}

function isExpressionDenied(expression: ReturnType<typeof parse>, denied: ReadonlySet<string>): boolean {
  if ('conjunction' in expression) {
    const sides = [isExpressionDenied(expression.left, denied), isExpressionDenied(expression.right, denied)];
    return expression.conjunction === 'or' ? sides.every(Boolean) : sides.some(Boolean);
  }
  const { license, plus, exception } = expression;
  const names = [
    license,
    plus ? `${license}+` : license,
    exception ? `${license} WITH ${exception}` : license,
  ];
  return names.some((name) => denied.has(name.toLowerCase()));
}
