import type { Context } from '../context.ts';
import { writeUseCounts } from '../libraries/use/counts.ts';
import { startScrub } from '../objects/health/scrub.ts';
import { reclaim } from '../objects/retention/reclaim.ts';
import { repeat } from '../process/repeat.ts';
import { deriveVectors } from '../search/derived/derive-vectors.ts';
import { EngineFeeder } from '../search/engine/feed-engine.ts';
import { JoiningState, joinLibraries } from '../search/segments/join-libraries.ts';
import { deleteExpired } from './delete-expired.ts';
import { startRunningWatches } from './run-watches.ts';
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
