import { sleep } from '../client/retry.ts';
import { ConflictError } from '../failures.ts';
import { RevisionSupersededError } from './revision-superseded.ts';

const MAX_REVISIONS = 50;
const PAUSE_MS = 50;

/** Runs `attempt` until it sees the same revision from start to end. Throws `ConflictError` if it never does. */
export async function retryUntilStable<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RevisionSupersededError)) throw error;
      if (tries === MAX_REVISIONS) {
        throw new ConflictError('the library changes faster than it can be read; try again later');
      }
      await sleep(PAUSE_MS, signal);
    }
  }
}
