import type { ClientBase } from 'pg';

type Statement = string | { name: string; text: string; values: unknown[] };

type Send = (
  statement: Statement,
  values: unknown[] | undefined,
  done: (error: Error | null, result: unknown) => void,
) => void;

/**
 * Makes a connection return results by callback, wrapped in promises created here: results resolved through pg's own
 * promises survive V8's minor garbage collections and are promoted to the old generation, along with everything derived
 * from them.
 */
export function queryByCallback(client: ClientBase): void {
  const send = client.query.bind(client) as unknown as Send;
  const query = (statement: Statement, values?: unknown[]) =>
    new Promise((resolve, reject) => {
      send(statement, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  client.query = query as unknown as typeof client.query;
}
