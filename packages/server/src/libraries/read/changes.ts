import {
  type AssetChange,
  LIMITS,
  type ManifestAsset,
  type RevisionChanges,
  ROOT_FILES,
} from '@bindery/contract';
import type { NumberedAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { type OpenedRevision, openRevision } from '../../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { loadRevision } from './revisions.ts';

/** Two revisions, the earlier one first. */
export interface ComparedRevisions {
  from: OpenedRevision;
  to: OpenedRevision;
}

/** Opens two revisions. Throws `not_found` for one that the viewer cannot read. */
export async function loadCompared(
  context: MaintenanceContext,
  viewer: Viewer,
  earlier: NumberedAddress,
  later: NumberedAddress,
): Promise<ComparedRevisions> {
  const open = async (address: NumberedAddress) =>
    openRevision(context, (await loadRevision(context, viewer, address)).row);
  return { from: await open(earlier), to: await open(later) };
}

/** The numbers of an asset in both revisions; null in the one that does not have it. */
type Pair = { before: number; after: number | null } | { before: null; after: number };

/** Walks both revisions once, by id, and yields the assets that differ in what the manifests say. */
export async function* differences(
  from: RevisionIndex,
  to: RevisionIndex,
  after?: string,
): AsyncGenerator<Pair> {
  let [old, now] = after === undefined ? [0, 0] : [from.firstAfter(after), to.firstAfter(after)];
  while (old < from.assetCount || now < to.assetCount) {
    if (turnIsOver()) await nextTurn();
    const order = compareAt(from, old, to, now);
    if (order < 0) yield { before: old++, after: null };
    else if (order > 0) yield { before: null, after: now++ };
    else {
      if (!to.statesSame(now, from, old)) yield { before: old, after: now };
      old += 1;
      now += 1;
    }
  }
}

/** A revision that has ended comes last. */
function compareAt(from: RevisionIndex, old: number, to: RevisionIndex, now: number): number {
  if (old === from.assetCount) return 1;
  return now === to.assetCount ? -1 : from.compareIds(old, to, now);
}

/**
 * Returns a page of the assets that differ, by id, with their entries in both manifests; of these assets alone if `among`
 * is given.
 */
export async function pageOfChanges(
  { from, to }: ComparedRevisions,
  { after, limit }: { after?: string | undefined; limit: number },
  among?: ReadonlySet<string>,
): Promise<Omit<RevisionChanges, 'changes'> & { count: number; changes: AsyncIterable<AssetChange> }> {
  const pairs: Pair[] = [];
  let files = 0;
  let next: string | null = null;
  for await (const pair of differences(from.index, to.index, after)) {
    if (among && !among.has(idOf(pair, from.index, to.index))) continue;
    const last = pairs.at(-1);
    if (last && (pairs.length === limit || files >= LIMITS.changes.files)) {
      next = idOf(last, from.index, to.index);
      break;
    }
    pairs.push(pair);
    files += fileCountOf(pair, from.index, to.index);
  }
  return {
    from: describeRevision(from),
    to: describeRevision(to),
    next,
    count: pairs.length,
    changes: describePairs(pairs, from.index, to.index),
  };
}

function describeRevision({ row, index }: OpenedRevision): RevisionChanges['from'] {
  const rootFiles = [...ROOT_FILES.keys()].flatMap((path) => {
    const file = index.findFile(path);
    return file?.platform ? [{ path, size: file.size, sha256: file.sha256 }] : [];
  });
  return { revision: row.revision, manifestSha256: row.manifest_sha256, library: index.library, rootFiles };
}

async function* describePairs(
  pairs: readonly Pair[],
  from: RevisionIndex,
  to: RevisionIndex,
): AsyncGenerator<AssetChange> {
  for (const pair of pairs) {
    const id = idOf(pair, from, to);
    if (fileCountOf(pair, from, to) > LIMITS.changes.files) {
      yield { id, before: null, after: null, shared: [], untold: true };
      continue;
    }
    const before = pair.before === null ? null : await entryOf(from, pair.before);
    const after = pair.after === null ? null : await entryOf(to, pair.after);
    const shared = [...pathsOnlyIn(before, after, to), ...pathsOnlyIn(after, before, from)];
    yield { id, before, after, shared, untold: false };
  }
}

/** The paths that one side has alone, but that the other revision has as well. */
function pathsOnlyIn(
  one: ManifestAsset | null,
  other: ManifestAsset | null,
  others: RevisionIndex,
): string[] {
  const known = new Set(other?.files.map(({ path }) => path));
  const alone = one?.files.filter(({ path }) => !known.has(path)) ?? [];
  return alone.filter(({ path }) => others.findFile(path) !== null).map(({ path }) => path);
}

function idOf({ before, after }: Pair, from: RevisionIndex, to: RevisionIndex): string {
  return before === null ? to.assetId(after) : from.assetId(before);
}

function fileCountOf({ before, after }: Pair, from: RevisionIndex, to: RevisionIndex): number {
  const count = (index: RevisionIndex, number: number | null) =>
    number === null ? 0 : index.filesOf(number).length;
  return Math.max(count(from, before), count(to, after));
}

async function entryOf(index: RevisionIndex, number: number): Promise<ManifestAsset> {
  const { title, description, category, tags, kind, format, entry } = index.card(number);
  const { license, attribution, upstream, entryPoints, meta } = index.remainder(number);
  const stated = { title, description, category, kind, format, license, attribution, upstream, entry };
  const files: ManifestAsset['files'] = [];
  for (const place of index.filesOf(number)) {
    const { path, size, sha256 } = index.files.at(place);
    files.push({ path, size, sha256 });
    if (turnIsOver()) await nextTurn();
  }
  return {
    id: index.assetId(number),
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== null)),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(entryPoints).length > 0 && { entryPoints }),
    ...(Object.keys(meta).length > 0 && { meta }),
    ...thumbnailOf(index, number),
    files,
  };
}

function thumbnailOf(index: RevisionIndex, number: number): Pick<ManifestAsset, 'thumbnail'> {
  const thumbnail = index.thumbnail(number);
  return thumbnail === null ? {} : { thumbnail: thumbnail.path };
}

interface Changes {
  from: number;
  to: number;
  added: string[];
  removed: string[];
  /** With what differs: `files`, `title`, `license` … */
  changed: { id: string; facts: string[] }[];
}

/** Names the assets of two revisions that differ, and what of them. */
export async function readChanges({ from, to }: ComparedRevisions): Promise<Changes> {
  const changes: Changes = {
    from: from.row.revision,
    to: to.row.revision,
    added: [],
    removed: [],
    changed: [],
  };
  for await (const { before, after } of differences(from.index, to.index)) {
    if (before === null) changes.added.push(to.index.assetId(after));
    else if (after === null) changes.removed.push(from.index.assetId(before));
    else {
      const facts = changedFacts(factsOf(from.index, before), factsOf(to.index, after));
      changes.changed.push({ id: to.index.assetId(after), facts });
    }
  }
  return changes;
}

/** What a manifest says of an asset, its files by their digest. */
export function factsOf(index: RevisionIndex, number: number): Readonly<Record<string, unknown>> {
  const { assetId: _, digest: files, ...card } = index.card(number);
  return { ...card, ...index.remainder(number), ...thumbnailOf(index, number), files };
}

function changedFacts(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys({ ...before, ...after })
    .filter((fact) => JSON.stringify(before[fact]) !== JSON.stringify(after[fact]))
    .sort();
}
