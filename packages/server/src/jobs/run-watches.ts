import type { Context } from '../context.ts';
import { runDueWatch } from '../libraries/watching/run.ts';
import { repeat } from '../process/repeat.ts';

/** Milliseconds between two checks for what is due, and for what is no longer watched. */
const INTERVAL = 5_000;
const TIDY_EVERY = 3_600_000;

/** Imports what is due, one source at a time. `stop` interrupts a running import, which goes on where it was. */
export function startRunningWatches(context: Context): { stop(): Promise<void> } {
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
