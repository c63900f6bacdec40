import { DAY } from '@bindery/contract/wire';
import { FAMILY_LIFETIME } from '../accounts/sessions.ts';
import type { Context, MaintenanceContext } from '../context.ts';
import { deleteBefore } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { writeUseCounts } from '../libraries/use/counts.ts';
import { runDueWatch } from '../libraries/watching/run.ts';
import { startScrub } from '../objects/health/scrub.ts';
import { reclaim } from '../objects/retention/reclaim.ts';
import { repeat } from '../process/repeat.ts';
import { deriveVectors } from '../search/derived/derive-vectors.ts';
import { EngineFeeder } from '../search/engine/feed-engine.ts';
import { JoiningState, joinLibraries } from '../search/segments/join-libraries.ts';
import { startSendingWebhooks } from './send-webhooks.ts';

/** Milliseconds between two runs. */
const RECLAIM_EVERY = 5 * 60_000;
const DELETE_EXPIRED_EVERY = 60 * 60_000;
const WRITE_USE_COUNTS_EVERY = 30_000;
const DERIVE_VECTORS_EVERY = 5_000;
const JOIN_LIBRARIES_EVERY = 2_000;
const FEED_ENGINE_EVERY = 1_000;

/** What the service does by itself. */
interface Jobs {
  /** Has webhooks looked for that something may be due to. */
  wakeWebhooks(): void;
  /** Resolves once what is running has ended. */
  stop(): Promise<void>;
}

/** Starts everything that the service does by itself. Of several servers on one database, each starts all of it. */
export function startJobs(context: Context): Jobs {
  const { configuration, log, webhooks } = context;
  // Each webhook is held by one server at a time.
  const sender = startSendingWebhooks(context, webhooks.transport);
  const withoutVectors = new Set<string>();
  const joining = new JoiningState();
  const jobs = [
    sender,
    // Servers share the stores that are due. Objects are deleted under the lock of their store; what another server has
    // begun, this one can finish.
    repeat({ every: RECLAIM_EVERY, name: 'reclaim', log }, (isStopped) => reclaim(context, isStopped)),
    // One server at a time, with its progress in one row. Another takes over when its sign of life stays the same.
    ...(configuration.scrubRate === null
      ? []
      : [startScrub(context, { bytesPerSecond: configuration.scrubRate })]),
    // By age alone, so it does not matter who does it, nor how often.
    repeat({ every: DELETE_EXPIRED_EVERY, name: 'deleting what has expired', log }, () =>
      deleteExpired(context),
    ),
    // Each server makes its own, on its own disk.
    ...(configuration.derivesVectors !== 'none'
      ? [
          repeat({ every: DERIVE_VECTORS_EVERY, name: 'deriving vectors', log }, (isStopped) =>
            deriveVectors(context, isStopped, withoutVectors),
          ),
        ]
      : []),
    // Each server makes its own, too.
    repeat({ every: JOIN_LIBRARIES_EVERY, name: 'joining libraries', log }, (isStopped) =>
      joinLibraries(context, isStopped, joining),
    ),
    // Each watch is held by one server at a time.
    ...(configuration.importHosts.length === 0 || configuration.role === 'auth'
      ? []
      : [startRunningWatches(context)]),
    // One server at a time holds the engine.
    ...feedingEngine(context),
    // Each server adds what it has counted.
    countingUse(context),
    // Each server announces itself; that began before it listened.
    context.servers,
  ];
  return {
    wakeWebhooks: sender.wake,
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** Feeds the search engine, if there is one, and lets another server do so at the end. */
function feedingEngine(context: Context): { stop(): Promise<void> }[] {
  const { engine, log } = context;
  if (engine === null) return [];
  const feeder = new EngineFeeder({ ...context, engine });
  const job = repeat({ every: FEED_ENGINE_EVERY, name: 'feeding the search engine', log }, (isStopped) =>
    feeder.run(isStopped),
  );
  return [
    {
      async stop() {
        await job.stop();
        await feeder.release();
      },
    },
  ];
}

/** Writes what was counted of use from time to time, and once more at the end. */
function countingUse(context: Context): { stop(): Promise<void> } {
  const { log } = context;
  const job = repeat({ every: WRITE_USE_COUNTS_EVERY, name: 'counting use', log }, () =>
    writeUseCounts(context),
  );
  return {
    async stop() {
      await job.stop();
      await writeUseCounts(context).catch((error: unknown) =>
        log.error({ err: error }, 'counts of use are lost'),
      );
    },
  };
}

/** Milliseconds between two checks for what is due, and for what is no longer watched. */
const INTERVAL = 5_000;
const TIDY_EVERY = 3_600_000;

/** Imports what is due, one source at a time. `stop` interrupts a running import, which goes on where it was. */
function startRunningWatches(context: Context): { stop(): Promise<void> } {
  const { db, importer, log } = context;
  const stopping = new AbortController();
  let tidiedAt = Number.NEGATIVE_INFINITY;
  const job = repeat({ every: INTERVAL, name: 'importing what is watched', log }, async () => {
    if (performance.now() - tidiedAt > TIDY_EVERY) {
      const watched = await db.selectFrom('watches').select('library_id').execute();
      await importer.keepOnly(new Set(watched.map(({ library_id }) => library_id)));
      tidiedAt = performance.now();
    }
    while (!stopping.signal.aborted && (await runDueWatch(context, stopping.signal)));
  });
  return {
    async stop() {
      stopping.abort();
      await job.stop();
    },
  };
}

/**
 * Deletes expired logins, spent tokens, invitations, counters, sessions, lines of the audit log and webhook deliveries.
 */
export async function deleteExpired({ db, clock, configuration }: MaintenanceContext): Promise<void> {
  const now = clock();
  // Finished logins are remembered for a day, so that clients get `expired_token`.
  await deleteBefore(db, 'device_requests', { key: ['secret_hash'], time: 'expires_at' }, now - DAY);
  // Correcting a clock that ran ahead makes an expired token valid again, so it stays spent for as long as its family
  // can last.
  await deleteBefore(db, 'spent_tokens', { key: ['jti'], time: 'expires_at' }, now - FAMILY_LIFETIME);
  await deleteBefore(db, 'invitations', { key: ['token_hash'], time: 'expires_at' }, now);
  await deleteBefore(db, 'attempts', { key: ['key'], time: 'window_started_at' }, now - DAY);
  await deleteExpiredFamilies(db, now);
  await deleteBefore(
    db,
    'sign_in_origins',
    { key: ['account', 'caller'], time: 'signed_in_at' },
    now - 90 * DAY,
  );
  await deleteBefore(
    db,
    'webhook_deliveries',
    { key: ['webhook_id', 'id'], time: 'created_at' },
    now - configuration.webhookDays * DAY,
  );
  await deleteBefore(db, 'audit_log', { key: ['id'], time: 'at' }, now - configuration.auditDays * DAY);
  const session = { key: ['id'], time: 'expires_at' } as const;
  await deleteBefore(db, 'sign_in_sessions', session, new Date(now).toISOString());
}

/** The service tokens of an expired family have expired; its personal tokens are kept, without a family. */
async function deleteExpiredFamilies(db: Database, now: number): Promise<void> {
  await db
    .updateTable('personal_access_tokens')
    .set({ family_id: null })
    .where('family_id', 'in', (eb) =>
      eb.selectFrom('token_families').select('token_families.id').where('expires_at', '<', now),
    )
    .execute();
  await deleteBefore(db, 'token_families', { key: ['id'], time: 'expires_at' }, now);
}
