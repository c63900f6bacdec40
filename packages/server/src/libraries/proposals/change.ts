import { hash } from 'node:crypto';
import { LIMITS, type ManifestChanges, type ManifestFile, type Proposal } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { factsOf } from '../read/changes.ts';

/** What a proposal changes, as it is kept while it is open. */
export interface ProposedChange {
  changes: ManifestChanges;
  /** Platform artifacts that it brings. */
  artifacts: readonly ManifestFile[];
  /**
   * What it changes as the library had it: digests by the ids of assets, the paths of artifacts, and `LIBRARY`; null of
   * what it did not have.
   */
  basis: Readonly<Record<string, string | null>>;
}

/** The library block of the manifest, among the names of what is changed. No asset has this id. */
const LIBRARY = '(library)';

/** Returns a change of the revision with this index. */
export async function proposedChange(
  index: RevisionIndex,
  changes: ManifestChanges,
  artifacts: readonly ManifestFile[],
): Promise<ProposedChange> {
  const { assets = [], removed = [], generated, library } = changes;
  const names = [
    ...assets.map(({ id }) => id),
    ...removed,
    ...artifacts.map(({ path }) => path),
    ...(generated?.added ?? []),
    ...(generated?.removed ?? []),
    ...(library === undefined ? [] : [LIBRARY]),
  ];
  const basis: [name: string, state: string | null][] = [];
  for (const name of names) {
    basis.push([name, stateOf(index, name)]);
    if (turnIsOver()) await nextTurn();
  }
  return { changes, artifacts, basis: Object.fromEntries(basis) };
}

/** Names what a change changes and the library has changed as well since the change was made. */
export async function conflictsWith(
  index: RevisionIndex,
  { basis }: ProposedChange,
): Promise<Proposal['conflicts']> {
  const names: string[] = [];
  for (const [name, state] of Object.entries(basis)) {
    if (stateOf(index, name) !== state) names.push(name);
    if (turnIsOver()) await nextTurn();
  }
  return { names: names.slice(0, LIMITS.listedPaths), total: names.length };
}

/** The ids of assets that a change touches. */
export function touchedAssets({ changes: { assets = [], removed = [] } }: ProposedChange): Set<string> {
  return new Set([...assets.map(({ id }) => id), ...removed]);
}

/** Ids of assets have no slash, and paths of artifacts have one. */
function stateOf(index: RevisionIndex, name: string): string | null {
  if (name === LIBRARY) return digestOf(index.library);
  if (name.includes('/')) return index.findFile(name)?.sha256 ?? null;
  const number = index.indexOfAsset(name);
  return number < 0 ? null : digestOf(factsOf(index, number));
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value) ?? '').slice(0, 32);
}
