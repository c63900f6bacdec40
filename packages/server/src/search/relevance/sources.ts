import { findRevision } from '../../access/libraries.ts';
import type { MaintenanceContext, SearchContext } from '../../context.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { ObjectAddress } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { AssetCard } from '../../revision/asset-table.ts';
import type { Descriptors } from '../../revision/descriptors.ts';
import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import type { Measures } from '../../revision/measures.ts';
import type { OrderedAssets } from '../../revision/orders.ts';
import { type RelevanceIndex, servesRelevance } from '../../revision/revision-index.ts';
import type { ValueIndex } from '../../revision/values.ts';
import { type SidecarHashes, sidecarHashes } from '../../revision/vectors/sidecar.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import { openAssets } from '../describe-hits.ts';
import { type EngineSource, openScope } from '../engine/engine-source.ts';
import type { SearchPage } from '../request.ts';
import type { SegmentIndex } from '../segments/segment-index.ts';
import { areWorthJoining, FEW_LIBRARIES } from '../segments/segments.ts';
import { type OpenedTarget, openTargets, type Target, type UnreadableTarget } from '../targets.ts';
import type { JoinedPlace } from '../vectors/vector-search.ts';

/** A revision that was present when the search began is gone: the search has to start again. */
export class RevisionGone extends Error {}

/** A searched library in a source: its assets are the documents from `first` up to, not including, `first + count`. */
export interface SourceMember {
  /** Its position among the searched targets. */
  target: number;
  first: number;
  count: number;
  /** The files of the vectors that it comes with. */
  sidecar: SidecarHashes | null;
  joined: JoinedPlace | null;
}

/** What one look searches: the index of a library, or a segment with those of its libraries that are searched. */
export interface OpenedSource {
  /** Its position among the sources. */
  number: number;
  members: readonly SourceMember[];
  /** 1 for each document of a member, 0 for what nobody asked for or may see; null if all are of members. */
  searched: DocumentSet | null;
  /** How many documents there are, searched or not. */
  assetCount: number;
  words: WordIndex;
  values: ValueIndex;
  measures: Measures;
  /** Null if none of the assets has one. */
  descriptors: Descriptors | null;
  /** Returns the assets of a member, numbered as in its library. */
  ordered(member: SourceMember): OrderedAssets;
  card(document: number): AssetCard | Promise<AssetCard>;
}

/** What the words of a query are looked up in. */
export type WordSource = Pick<OpenedSource, 'number' | 'searched' | 'words'> & {
  members: readonly Pick<SourceMember, 'count'>[];
};

type Source = { kind: 'segment'; opened: OpenedSource } | { kind: 'library'; member: SourceMember };

/** What a search visits, and what it knows of it. */
export interface Sources {
  /** The targets that are searched, each with the row of the searched revision. */
  searched: Target[];
  unreadable: UnreadableTarget[];
  /** How many libraries are left out, since there is no room to search them. */
  left: number;
  /** Whether nobody waits for the answer any more. */
  hasLeft: () => boolean;
  all: readonly Source[];
  /** The libraries that the search engine is asked about; null for none. */
  engine: EngineSource | null;
}

/** How many bytes of indexes one search loads into memory, even if they do not stay there. */
const LOADED_AT_ONCE = 192 * 2 ** 20;

/**
 * Finds where the targets can be searched: many libraries in segments, others in their own indexes, as far as memory has
 * room for them. An index of an older version that lacks what this search needs is first rebuilt, permanently.
 * @param usesEngine whether a search of several libraries may ask the search engine about those that it has
 */
export async function findSources(
  context: SearchContext,
  targets: readonly Target[],
  { usesEngine = false, hasLeft = () => false }: Pick<SearchPage, 'hasLeft'> & { usesEngine?: boolean } = {},
): Promise<Sources> {
  const { segments, revisions } = context;
  const areMany = targets.length > FEW_LIBRARIES;
  const engine = usesEngine && targets.length > 1 ? await openScope(context) : null;
  if (areMany) await segments.opened;
  const sources: Sources = { searched: [], unreadable: [], left: 0, hasLeft, all: [], engine: null };
  const members = new Map<SegmentIndex, SourceMember[]>();
  const libraries: SourceMember[] = [];
  const room = { memory: Math.max(revisions.capacity, LOADED_AT_ONCE), loads: LOADED_AT_ONCE };
  let assets = 0;
  for (const target of targets) {
    if (hasLeft()) throw nobodyWaits();
    const key = { storeId: target.row.store_id, indexSha256: target.row.index_sha256 };
    const isAmongOthers = areMany || (targets.length > 1 && !revisions.held(indexOf(target)));
    const found = isAmongOthers ? segments.find(key) : null;
    const at = sources.searched.length;
    if (engine?.take(target, at)) sources.searched.push(target);
    else if (found) {
      const { first, count, sidecar } = found.member;
      const own = members.get(found.segment) ?? [];
      own.push({ target: at, first, count, sidecar, joined: found.joined });
      members.set(found.segment, own);
      sources.searched.push(target);
    } else if (libraries.length > 0 && (room.memory <= 0 || room.loads <= 0)) sources.left++;
    else {
      const held = heldIndex(context, target);
      const opened = held
        ? { index: held, row: target.row }
        : await openOne(context, target, sources.unreadable);
      if (opened === null) continue;
      const { index, row } = opened;
      room.memory -= index.byteLength;
      if (!held) room.loads -= index.byteLength;
      sources.searched.push({ ...target, row });
      const sidecar = sidecarHashes(index, row.manifest_layout);
      libraries.push({ target: at, first: 0, count: index.assetCount, sidecar, joined: null });
      assets += index.assetCount;
    }
    if (turnIsOver()) await nextTurn();
  }
  if (areWorthJoining(libraries.length + sources.left, assets)) segments.isWanted = true;
  const inSegments = [...members].map(
    ([segment, own], number): Source => ({
      kind: 'segment',
      opened: sourceOf(context, sources.searched, segment, { members: own, number }),
    }),
  );
  const alone = libraries.map((member): Source => ({ kind: 'library', member }));
  return { ...sources, all: [...inSegments, ...alone], engine: engine?.source() ?? null };
}

async function openOne(
  context: MaintenanceContext,
  target: Target,
  unreadable: UnreadableTarget[],
): Promise<OpenedTarget | null> {
  for await (const [, opened] of openTargets(context, [target], unreadable, openWithWords)) return opened;
  return null;
}

/** Opens a revision with everything that searches by relevance need. */
export async function openWithWords(context: MaintenanceContext, row: Target['row']): Promise<OpenedTarget> {
  const opened = await openRevision(context, row);
  if (servesRelevance(opened.index)) return opened;
  const whole = await findRevision(context.db, opened.row);
  if (whole === null) throw notFound();
  return openRevision(context, await context.indexRepairer.upgrade(whole));
}

function sourceOf(
  context: SearchContext,
  searchedTargets: readonly Target[],
  segment: SegmentIndex,
  { members, number }: { members: readonly SourceMember[]; number: number },
): OpenedSource {
  const { assetCount, words, values, measures, descriptors } = segment;
  const isWhole = members.reduce((sum, { count }) => sum + count, 0) === assetCount;
  const searched = isWhole ? null : new Uint8Array(assetCount);
  for (const { first, count } of members) searched?.fill(1, first, first + count);
  return {
    ...{ number, members, searched, assetCount, words, values, measures, descriptors },
    ordered: (member) => segment.ordered(member),
    async card(document) {
      const { target, first } = memberWith(members, document);
      const assets = await openAssets(context, searchedTargets[target] as Target);
      const described = await assets?.read(document - first);
      if (!described) throw new RevisionGone();
      return described.card;
    },
  };
}

/** Returns the library that a document is of. */
export function memberWith(members: readonly SourceMember[], document: number): SourceMember {
  return members.find(({ first, count }) => document >= first && document < first + count) as SourceMember;
}

/**
 * Visits every source in turn. No index of a single library is retained between the passes of a search, so memory stays
 * within the limits of the cache. Throws `RevisionGone` if an index is gone, `unavailable` if nobody waits any more.
 */
export async function eachSource(
  context: MaintenanceContext,
  { all, searched, hasLeft }: Pick<Sources, 'all' | 'searched' | 'hasLeft'>,
  visit: (source: OpenedSource) => Promise<void>,
): Promise<void> {
  for (const [number, source] of all.entries()) {
    if (hasLeft()) throw nobodyWaits();
    if (source.kind === 'segment') await visit(source.opened);
    else {
      const { member } = source;
      const target = searched[member.target] as Target;
      const index = heldIndex(context, target) ?? (await loadIndex(context, target));
      const { assetCount, words, values, measures, descriptors } = index;
      await visit({
        ...{ number, members: [member], searched: null, assetCount, words, values, measures, descriptors },
        ordered: () => index,
        card: (document) => index.card(document),
      });
    }
    if (turnIsOver()) await nextTurn();
  }
}

function nobodyWaits(): ServiceError {
  return new ServiceError('unavailable', 'The search was stopped, since its client has left.');
}

/** Returns the index of a searched library if it is in memory: thousands of awaits would cost more than the searching. */
function heldIndex({ revisions }: MaintenanceContext, target: Target): RelevanceIndex | null {
  const index = revisions.held(indexOf(target));
  return index && servesRelevance(index) ? index : null;
}

/** Loads the index of a searched library. Throws `RevisionGone`. */
export async function loadIndex({ revisions }: MaintenanceContext, target: Target): Promise<RelevanceIndex> {
  const index = await unlessLost(revisions.load(indexOf(target)));
  if (!index || !servesRelevance(index)) throw new RevisionGone();
  return index;
}

function indexOf({ row: { store_id: storeId, index_sha256: sha256 } }: Target): ObjectAddress {
  return { storeId, sha256 };
}
