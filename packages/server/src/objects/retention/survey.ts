import type { MaintenanceContext } from '../../context.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';
import { unlessLost } from '../damaged.ts';
import type { StoredObject } from '../store.ts';
import { recentlyUploaded, UPLOAD_LIFETIME } from '../uploads.ts';
import { revisionsOf } from './reclaim.ts';
import { gracePeriod } from './retire.ts';

/** How many objects are processed together: a bound on memory. */
const AT_ONCE = 50_000;

/**
 * Why an object is kept, the first reason that applies: the current revision refers to it; a release does; a revision
 * replaced within the grace period does; an index that cannot be read might; a client was told that it is stored; it
 * was uploaded and may yet be registered; nothing has referred to it, but for less than the grace period. `doomed`
 * objects are deleted.
 */
const FATES = [
  'current',
  'released',
  'replaced',
  'unclear',
  'leased',
  'uploaded',
  'waiting',
  'doomed',
] as const;
type Fate = (typeof FATES)[number];

interface Amount {
  objects: number;
  /** In bytes. */
  bytes: number;
}

export type Survey = Record<Fate, Amount>;

interface Candidate extends StoredObject {
  storedAt: number;
}

/** The objects of a revision that its closure does not list. One of them, the index, contains the closure. */
interface NamedRevision {
  index_sha256: string;
  manifest_sha256: string;
  codes_sha256: string | null;
  artifacts_sha256: string | null;
}

export function emptySurvey(): Survey {
  return Object.fromEntries(FATES.map((fate) => [fate, { objects: 0, bytes: 0 }])) as Survey;
}

/** Adds to a survey what a reclaim of this store would keep and delete now. Changes nothing. */
export async function surveyStore(
  context: MaintenanceContext,
  storeId: string,
  survey: Survey,
): Promise<void> {
  const before = context.clock() - gracePeriod(context.configuration);
  const { library, releases, retired } = await revisionsOf(context.db, storeId, before);
  const groups: [Fate, NamedRevision[]][] = [
    ['current', library === null ? [] : [library]],
    ['released', releases],
    ['replaced', retired],
  ];
  for await (const objects of inChunks(context.objects.list(storeId))) {
    let left = objects;
    let isClear = true;
    for (const [fate, revisions] of groups) {
      for (const revision of revisions) {
        const { named, others } = await partitionByRevision(context, storeId, revision, left);
        add(survey, fate, named);
        left = others ?? left.filter((object) => !named.includes(object));
        isClear &&= others !== null;
      }
    }
    if (isClear) await addUnreferenced(context, storeId, left, before, survey);
    else add(survey, 'unclear', left);
  }
}

/** Splits candidates into those that a revision refers to and `others`, which is null if its index cannot be read. */
async function partitionByRevision(
  { objects }: MaintenanceContext,
  storeId: string,
  revision: NamedRevision,
  candidates: readonly Candidate[],
): Promise<{ named: Candidate[]; others: Candidate[] | null }> {
  const { index_sha256, manifest_sha256, codes_sha256, artifacts_sha256 } = revision;
  const documents = new Set([index_sha256, manifest_sha256, codes_sha256, artifacts_sha256]);
  const bytes = await unlessLost(objects.read({ storeId, sha256: index_sha256 }));
  const files = bytes === null ? null : RevisionIndex.open(bytes).files;
  const isNamed = ({ sha256 }: Candidate) =>
    documents.has(sha256) || (files !== null && files.sizeOfContent(sha256) !== null);
  const { true: named = [], false: others = [] } = Object.groupBy(candidates, (one) => `${isNamed(one)}`);
  return { named, others: files === null ? null : others };
}

async function addUnreferenced(
  { db, objects, clock }: MaintenanceContext,
  storeId: string,
  unnamed: readonly Candidate[],
  before: number,
  survey: Survey,
): Promise<void> {
  if (unnamed.length === 0) return;
  const rows = await db
    .selectFrom('doomed_objects')
    .select(['sha256', 'state', 'since'])
    .where('store_id', '=', storeId)
    .execute();
  const known = new Map(rows.map((row) => [row.sha256, row]));
  const leasedAfter = clock() - UPLOAD_LIFETIME;
  const hashes = unnamed.map(({ sha256 }) => sha256);
  const recent = objects.hasStaging ? null : await recentlyUploaded(db, storeId, hashes);
  for (const object of unnamed) {
    const row = known.get(object.sha256);
    const isLeased = row?.state === 'leased' && row.since >= leasedAfter;
    const since = row?.state === 'pending' ? row.since : object.storedAt;
    const isDue = row?.state === 'deleting' || since <= before;
    const isRecent = row === undefined && recent?.has(object.sha256);
    const fate = isLeased ? 'leased' : isRecent ? 'uploaded' : isDue ? 'doomed' : 'waiting';
    add(survey, fate, [object]);
  }
}

function add(survey: Survey, fate: Fate, objects: readonly StoredObject[]): void {
  for (const { size } of objects) {
    survey[fate].objects += 1;
    survey[fate].bytes += size;
  }
}

async function* inChunks(objects: AsyncIterable<Candidate>): AsyncGenerator<Candidate[]> {
  let some: Candidate[] = [];
  for await (const object of objects) {
    some.push(object);
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  yield some;
}
