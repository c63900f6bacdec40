import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An entry of a lock file. */
export interface LockedPackage {
  version?: string;
  /** The workspace that a link leads to. */
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  [field: string]: unknown;
}

/** A package of the clone, and where it is in the tree to lock: '' for its root. */
export interface LockedRoot {
  workspace: string;
  place: string;
  manifest: LockedPackage;
}

/** The lock file of the clone, whose tree the tests run on. */
const { packages: LOCKED } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** Returns what a lock file says of a package of Bindery itself. */
export function lockedEntry(manifest: LockedPackage): LockedPackage {
  const { version, dependencies, peerDependencies, peerDependenciesMeta, bin, engines, license } = manifest;
  return {
    version,
    license,
    bin,
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
    engines,
  } as LockedPackage;
}

/**
 * Returns the entries of a lock file with everything that these packages depend on, as in the clone, apart from packages
 * of Bindery themselves. Throws for a dependency that the clone does not have.
 */
export function lockedTree(roots: readonly LockedRoot[]): Record<string, LockedPackage> {
  const needed = new Set<string>();
  const wanted = new Set<string>();
  const starts = roots.map(({ workspace, manifest }) => ({ place: workspace, entry: manifest }));
  follow(starts, needed, { optional: false });
  const found = [...needed].map((place) => ({ place, entry: LOCKED[place] ?? {} }));
  follow([...starts, ...found], wanted, { optional: true });
  const places = [...needed.union(wanted)].sort();
  return Object.fromEntries(
    places.map((place) => {
      const { dev: _d, devOptional: _o, peer: _p, optional: _, ...entry } = LOCKED[place] ?? {};
      return [placeIn(roots, place), needed.has(place) ? entry : { ...entry, optional: true }];
    }),
  );
}

function follow(
  starts: readonly { place: string; entry: LockedPackage }[],
  seen: Set<string>,
  { optional }: { optional: boolean },
): void {
  const queue = [...starts];
  for (let next = queue.shift(); next; next = queue.shift()) {
    for (const [name, isNeeded] of dependenciesOf(next.entry)) {
      if (!isNeeded && !optional) continue;
      const place = resolved(next.place, name);
      if (place === null && isNeeded) throw new Error(`package-lock.json has no ${name} for ${next.place}`);
      const entry = place === null ? undefined : LOCKED[place];
      if (place === null || entry === undefined || entry.link || seen.has(place)) continue;
      seen.add(place);
      queue.push({ place, entry });
    }
  }
}

/** Returns the names of dependencies, and whether the package cannot do without them. */
function dependenciesOf(entry: LockedPackage): [string, boolean][] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry;
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  const optional = Object.keys(optionalDependencies ?? {});
  return [
    ...[...Object.keys(dependencies ?? {}), ...peers]
      .filter((name) => !optional.includes(name))
      .map((name): [string, boolean] => [name, true]),
    ...optional.map((name): [string, boolean] => [name, false]),
  ];
}

/** Finds a package as Node does: in the folder of the package that asks for it, then in those above. */
function resolved(from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in LOCKED) return place;
    if (at === '') return null;
  }
}

function placeIn(roots: readonly LockedRoot[], place: string): string {
  const root = roots.find(({ workspace }) => place.startsWith(`${workspace}/`));
  if (!root) return place;
  return (root.place === '' ? '' : `${root.place}/`) + place.slice(root.workspace.length + 1);
}
