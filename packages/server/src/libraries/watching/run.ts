import { randomUUID } from 'node:crypto';
import type { WatchSchedule } from '@bindery/contract';
import { DAY } from '@bindery/contract/wire';
import type { Selectable } from 'kysely';
import { viewerOfPass } from '../../access/import-pass.ts';
import { loadPublishTarget } from '../../access/libraries.ts';
import { MACHINE } from '../../access/viewer.ts';
import { loadAccount } from '../../accounts/accounts.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import type { WatchesTable } from '../../database/tables/libraries.ts';
import { ServiceError } from '../../errors.ts';
import { quotaOf } from '../quotas/quota.ts';
import type { ImportOutcome } from './importer.ts';

type WatchRow = Selectable<WatchesTable>;

/** Milliseconds for one import, and for which a server holds a watch unless it renews that. */
export const IMPORT_DEADLINE = 3_600_000;
const HOLD = 60_000;

const INTERVAL: Record<WatchSchedule, number> = { hourly: DAY / 24, daily: DAY, weekly: 7 * DAY };
/** How long after the first failure it tries again; three times as long after each further one. */
const FIRST_RETRY = 300_000;

/** Imports what is due the longest and nobody holds; returns whether there was any. */
export async function runDueWatch(context: Context, stopping: AbortSignal): Promise<boolean> {
  const watch = await claimWatch(context);
  if (watch === null) return false;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    void renew(context, watch).then(
      (isHeld) => isHeld || lost.abort(),
      (error: unknown) => context.log.warn({ err: error }, 'a watch could not be held'),
    );
  }, HOLD / 3);
  try {
    const outcome = await importNow(context, watch, AbortSignal.any([stopping, lost.signal]));
    await record(context, watch, outcome);
  } finally {
    clearInterval(renewal);
  }
  return true;
}

/** Counts the run as failed before it begins, so that one during which its server is killed is not repeated at once. */
async function claimWatch({ db, clock }: Context): Promise<WatchRow | null> {
  const now = clock();
  const due = await db
    .selectFrom('watches')
    .selectAll()
    .where('due_at', '<=', now)
    .where('held_until', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  if (!due) return null;
  const failures = due.failures + 1;
  const claimed = await db
    .updateTable('watches')
    .set({
      ...{ failures, holder: randomUUID(), held_until: now + HOLD, last_run_at: now },
      due_at: now + Math.min(INTERVAL[due.every], FIRST_RETRY * 3 ** Math.min(failures - 1, 9)),
    })
    .where('library_id', '=', due.library_id)
    .where('due_at', '=', due.due_at)
    .where('held_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
  return claimed ?? null;
}

async function renew({ db, clock }: Context, watch: WatchRow): Promise<boolean> {
  const held = await db
    .updateTable('watches')
    .set({ held_until: clock() + HOLD })
    .where('library_id', '=', watch.library_id)
    .where('holder', '=', watch.holder)
    .returning('library_id')
    .executeTakeFirst();
  return held !== undefined;
}

type Outcome = ImportOutcome | { kind: 'stopped'; reason: string };

/** Imports as the account that set the watch, if it may still publish. */
async function importNow(context: Context, watch: WatchRow, signal: AbortSignal): Promise<Outcome> {
  const { db, clock, importer, importPasses, log } = context;
  const [library, account] = await Promise.all([
    libraryOf(context, watch),
    loadAccount(db, watch.account_id),
  ]);
  if (library.state !== 'active') return { kind: 'stopped', reason: 'The library is in the Trash.' };
  if (account === undefined || account.disabled_at !== null)
    return { kind: 'stopped', reason: `The account of ${watch.set_by} is disabled, or no longer exists.` };
  const address = { namespace: library.slug, name: library.name };
  const expiresAt = clock() + IMPORT_DEADLINE + HOLD;
  const rights = { accountId: account.id, namespaceId: library.namespace_id, library: address, expiresAt };
  try {
    const target = await loadPublishTarget(db, viewerOfPass(rights, account.user_name), address);
    using pass = importPasses.issue(rights);
    return await importer.run(
      {
        ...{ source: watch.source, library: address, libraryId: watch.library_id, token: pass.token },
        maxBytes: quotaOf(target.namespace)?.bytes ?? null,
      },
      signal,
    );
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 403 || error.status === 404))
      return { kind: 'stopped', reason: `${account.user_name} may no longer publish to the library.` };
    log.error({ err: error, library: watch.library_id }, 'an import of a watched library failed');
    return { kind: 'failed', problem: 'The import failed unexpectedly; the log of the service says why.' };
  }
}

function libraryOf({ db }: Context, { library_id }: WatchRow) {
  return db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['libraries.name', 'libraries.state', 'libraries.namespace_id', 'namespaces.slug'])
    .where('libraries.id', '=', library_id)
    .executeTakeFirstOrThrow();
}

/** Records how a run ended, unless the watch was changed meanwhile. Members are told of the first of several failures. */
async function record(context: Context, watch: WatchRow, outcome: Outcome): Promise<void> {
  const { db, clock } = context;
  const now = clock();
  await db.transaction().execute(async (trx) => {
    const held = await trx
      .updateTable('watches')
      .set({ holder: null, held_until: 0, ...changeOf(watch, outcome, now) })
      .where('library_id', '=', watch.library_id)
      .where('holder', '=', watch.holder)
      .returning('library_id')
      .executeTakeFirst();
    if (!held) return;
    const isFirst = outcome.kind === 'failed' && watch.failures === 1;
    if (!isFirst && outcome.kind !== 'stopped') return;
    const { slug, name, namespace_id: id } = await libraryOf({ ...context, db: trx }, watch);
    await recordAudit(trx, now, actorOf(MACHINE), {
      action: outcome.kind === 'stopped' ? 'watch.stop' : 'watch.fail',
      namespace: { id, slug },
      target: name,
      details: { reason: outcome.kind === 'stopped' ? outcome.reason : outcome.problem },
    });
  });
}

function changeOf({ every, failures }: WatchRow, outcome: Outcome, now: number): Partial<WatchRow> {
  switch (outcome.kind) {
    case 'interrupted':
      return { failures: failures - 1, due_at: now };
    case 'stopped':
      return { problem: outcome.reason, due_at: null };
    case 'failed':
      return { problem: outcome.problem };
    case 'done': {
      const last_result = JSON.stringify({ at: new Date(now).toISOString(), ...outcome.result });
      return { failures: 0, problem: null, last_result, due_at: now + INTERVAL[every] };
    }
  }
}
