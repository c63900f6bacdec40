import pg from 'pg';
import { StartError } from '../../process/start-error.ts';
import { advisoryKey } from './advisory-key.ts';
import { CONNECT_TIMEOUT } from './postgres.ts';

/** Keeps other restores out of a PostgreSQL database as long as its session lasts. */
export interface RestoreLock {
  /** Throws `StartError` if the session has broken, since another restore may have begun then. */
  requireHeld(): void;
  release(): Promise<void>;
}

/** Throws `StartError` if another restore into this database is running. */
export async function lockForRestore(url: string): Promise<RestoreLock> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  });
  let broken = false;
  for (const event of ['error', 'end'] as const) {
    client.on(event, () => {
      broken = true;
    });
  }
  await client.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      advisoryKey('restore'),
    ]);
    if (!rows[0]?.held) throw isRunning(url);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    requireHeld: () => {
      if (broken) throw new StartError('The connection that keeps other restores out broke. Restore again.');
    },
    release: () => client.end(),
  };
}

function isRunning(url: string): StartError {
  return new StartError(
    `Another restore into the PostgreSQL database at ${new URL(url).host} is running. Wait for it, or stop it and restore again.`,
  );
}
