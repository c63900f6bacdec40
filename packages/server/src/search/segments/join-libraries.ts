import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { findLibraries, type JoiningContext, type Library } from './current-libraries.ts';
import { joinVectors } from './join-vectors.ts';
import { keyOf, type SegmentIndex } from './segment-index.ts';
import { areWorthJoining, type Segments } from './segments.ts';

/** The most assets of a segment with several libraries: what a worker joins within a few hundred MiB. */
const MAX_ASSETS = 131_072;

/** Milliseconds: how long what is gone from a library can stay in a segment, and how often that is checked. */
const KEPT = 24 * 60 * 60_000;
const CHECKED_EVERY = 60 * 60_000;

/** What the job remembers between its runs. */
export class JoiningState {
  /** Keys of revisions that cannot be joined. */
  readonly unreadable = new Set<string>();
  checkedAt = 0;
}

/**
 * Joins the libraries that are in no segment, if there are many, with segments that are no larger than they are
 * together or that mostly consist of what is gone. So each library is joined again only a few times as the service
 * grows. Segments of former days that have anything of what is gone are made again. Once there is nothing to join,
 * vectors are.
 */
export async function joinLibraries(
  context: JoiningContext,
  isStopped: () => boolean,
  state: JoiningState,
): Promise<void> {
  const { db, clock, segments, log } = context;
  const { unreadable } = state;
  await segments.opened;
  const now = clock();
  if (!segments.isWanted && now < state.checkedAt + CHECKED_EVERY) return;
  state.checkedAt = now;
  const libraries = await findLibraries(db);
  const current = new Map(libraries.map((library) => [keyOf(library), library]));
  await removeUnused(segments, current);
  const loose = libraries.filter(
    (library) => segments.find(library) === null && !unreadable.has(keyOf(library)),
  );
  const isOutdated = (segment: SegmentIndex) =>
    segment.madeAt < now - KEPT && membersOf(segments, segment, current).length < segment.members.length;
  if (!areWorthJoining(loose.length, assetsOf(loose)) && !segments.list().some(isOutdated)) {
    await joinVectors(context, isStopped, current);
    segments.isWanted = false;
    return;
  }
  const joinedAgain = dissolved(segments, current, { isOutdated, joining: assetsOf(loose) });
  for (const group of grouped([...loose, ...joinedAgain])) {
    if (isStopped()) return;
    if (!segments.hasRoom(assetsOf(group))) {
      log.warn('not all libraries are searched at once: BINDERY_INDEX_CACHE_MIB is too small for them');
      await joinVectors(context, isStopped, current);
      segments.isWanted = false;
      break;
    }
    const since = performance.now();
    for (const revision of await segments.join(group)) unreadable.add(keyOf(revision));
    const seconds = Math.round((performance.now() - since) / 1_000);
    log.info(
      { libraries: group.length, assets: assetsOf(group), seconds },
      'libraries were joined to search',
    );
    await removeUnused(segments, current);
  }
}

/** Removes segments none of whose libraries are current and in no later one. */
async function removeUnused(segments: Segments, current: ReadonlyMap<string, Library>): Promise<void> {
  for (const segment of segments.list()) {
    if (membersOf(segments, segment, current).length === 0) await segments.remove(segment);
    if (turnIsOver()) await nextTurn();
  }
}

/** Returns the libraries of the segments that are joined again. */
function dissolved(
  segments: Segments,
  current: ReadonlyMap<string, Library>,
  { isOutdated, joining }: { isOutdated: (segment: SegmentIndex) => boolean; joining: number },
): Library[] {
  const all = segments.list().map((segment) => {
    const members = membersOf(segments, segment, current);
    const assets = assetsOf(members);
    return { members, assets, mustGo: assets < segment.assetCount / 2 || isOutdated(segment) };
  });
  const libraries: Library[] = [];
  let joined = joining;
  for (const { members, assets, mustGo } of all.sort((a, b) => a.assets - b.assets)) {
    const isSmall = assets <= joined && assets <= MAX_ASSETS / 2;
    if (!isSmall && !mustGo) continue;
    libraries.push(...members);
    joined += assets;
  }
  return libraries;
}

function membersOf(
  segments: Segments,
  segment: SegmentIndex,
  current: ReadonlyMap<string, Library>,
): Library[] {
  return segment.members.flatMap((member) => {
    const library = current.get(keyOf(member));
    return library && segments.find(member)?.segment === segment ? library : [];
  });
}

function grouped(libraries: readonly Library[]): Library[][] {
  const groups: Library[][] = [];
  let room = 0;
  for (const library of libraries) {
    if (groups.length === 0 || library.assets > room) {
      groups.push([]);
      room = MAX_ASSETS;
    }
    groups.at(-1)?.push(library);
    room -= library.assets;
  }
  return groups;
}

function assetsOf(libraries: readonly Library[]): number {
  return libraries.reduce((sum, { assets }) => sum + assets, 0);
}
