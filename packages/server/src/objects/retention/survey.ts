import { arrivingChunks } from '@bindery/concurrency';
import type { MaintenanceContext } from '../../context.ts';
import { type Documents, documentsOf, dropListed, referencesOf } from '../references.ts';
import type { StoredObject } from '../store.ts';
import { recentlyUploaded, UPLOAD_LIFETIME } from '../uploads.ts';
import { gracePeriod } from './retire.ts';

/** How many objects are processed together: a bound on memory. */
const AT_ONCE = 50_000;

/**
 * Why an object is kept, the first reason that applies: the current revision refers to it; a release does; an open proposal
 * does; a revision that was replaced and is history, or within the grace period, does; an index that cannot be read might; a client was told that it is stored; it
 * was uploaded and may yet be registered; nothing has referred to it, but for less than the grace period. `doomed`
 * objects are deleted.
 */
const FATES = [
  'current',
  'released',
  'proposed',
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
  const { library, releases, proposals, retired, documents } = await referencesOf(
    context,
    storeId,
    context.clock(),
  );
  const groups: [Fate, Documents[]][] = [
    ['current', library === null ? [] : [library]],
    ['released', releases],
    ['proposed', proposals],
    ['replaced', retired],
  ];
  for await (const objects of arrivingChunks(context.objects.list(storeId), AT_ONCE)) {
    let left = objects;
    let isClear = true;
    for (const [fate, revisions] of groups) {
      for (const revision of revisions) {
        const own = documentsOf(revision);
        const others = left.filter(({ sha256 }) => !own.includes(sha256));
        const unlisted = await dropListed(context.objects, storeId, [revision.index_sha256], others);
        const kept = new Set(left).difference(new Set(unlisted.left));
        add(survey, fate, [...kept]);
        left = unlisted.left;
        isClear &&= unlisted.lostIndex === null;
      }
    }
    add(
      survey,
      'replaced',
      left.filter(({ sha256 }) => documents.has(sha256)),
    );
    left = left.filter(({ sha256 }) => !documents.has(sha256));
    if (isClear) await addUnreferenced(context, storeId, left, before, survey);
    else add(survey, 'unclear', left);
  }
}

async function addUnreferenced(
  { db, objects, clock }: MaintenanceContext,
  storeId: string,
  unreferenced: readonly Candidate[],
  before: number,
  survey: Survey,
): Promise<void> {
  if (unreferenced.length === 0) return;
  const rows = await db
    .selectFrom('doomed_objects')
    .select(['sha256', 'state', 'since'])
    .where('store_id', '=', storeId)
    .execute();
  const known = new Map(rows.map((row) => [row.sha256, row]));
  const leasedAfter = clock() - UPLOAD_LIFETIME;
  const hashes = unreferenced.map(({ sha256 }) => sha256);
  const recent = objects.hasStaging ? null : await recentlyUploaded({ db, storeId }, hashes);
  for (const object of unreferenced) {
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
