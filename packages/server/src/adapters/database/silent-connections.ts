import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';
import { ConnectionSilent } from '../../database/unreachable.ts';

/** What the library keeps of a connection, and its types leave out. */
interface Connected {
  connection: { stream: Socket };
  /** False while an answer is awaited. */
  readyForQuery: boolean;
}

/**
 * Breaks a connection on which nothing came for so long (milliseconds) though something was asked: where the network swallows
 * what is sent, TCP alone would wait for a quarter of an hour.
 */
export function breakWhenSilent(client: ClientBase, timeout: number): void {
  const connected = client as unknown as Connected;
  const { stream } = connected.connection;
  stream.setTimeout(timeout, () => {
    if (!connected.readyForQuery)
      stream.destroy(new ConnectionSilent(`PostgreSQL did not answer in ${timeout / 1_000} s`));
  });
}
