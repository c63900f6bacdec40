import type { ClientBase } from 'pg';

type Statement = string | { name: string; text: string; values: unknown[] };

type Send = (
  statement: Statement,
  values: unknown[] | undefined,
  done: (error: Error | null, result: unknown) => void,
) => void;

/**
 * Has a connection answer by callbacks, made into promises here: what the library's own promises answered outlives V8's
 * collections of young objects, and is promoted with all that was made of it.
 */
export function answerByCallback(client: ClientBase): void {
  const send = client.query.bind(client) as unknown as Send;
  const query = (statement: Statement, values?: unknown[]) =>
    new Promise((resolve, reject) => {
      send(statement, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  client.query = query as unknown as typeof client.query;
}
