import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';
import { ConnectionSilent } from '../../database/connection-errors.ts';

/** Members of a `pg` client that are missing from its types. */
interface Connected {
  connection: { stream: Socket };
  /** False while a response is pending. */
  readyForQuery: boolean;
}

/**
 * Closes a connection that has been silent for `timeout` milliseconds while a response is pending: if the network drops
 * packets silently, TCP alone would wait for a quarter of an hour.
 */
export function closeWhenSilent(client: ClientBase, timeout: number): void {
  const connected = client as unknown as Connected;
  const { stream } = connected.connection;
  stream.setTimeout(timeout);
  stream.on('timeout', () => {
    // A socket reports a timeout once; it would not time the next statement of a connection that was idle.
    if (connected.readyForQuery) stream.setTimeout(timeout);
    else stream.destroy(new ConnectionSilent(`PostgreSQL did not answer in ${timeout / 1_000} s`));
  });
}
