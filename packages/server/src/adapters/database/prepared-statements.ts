import type { ClientBase } from 'pg';

/** A statement is prepared from this use on. */
const MIN_USES = 5;

/** Maximum number of prepared statements per connection: each plan takes memory in PostgreSQL. */
const MAX_PREPARED = 100;

/** Uses are counted for at most this many statements; then counting starts over. */
const MAX_COUNTED = 1_000;

/** Names for frequently used statements, the same on all connections of a pool. */
export class StatementNames {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Returns the name under which to prepare a statement; undefined if it should not be prepared. */
  of(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= MAX_PREPARED) return name;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < MIN_USES) {
      if (this.#uses.size >= MAX_COUNTED) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const fresh = `bindery_${this.#names.size}`;
    this.#names.set(text, fresh);
    return fresh;
  }
}

/** Members of a `pg` client that are missing from its types. */
interface Prepared {
  connection: { parsedStatements: Record<string, string> };
  getTransactionStatus(): string | null;
}

type Send = (
  query: string | { name: string; text: string; values: unknown[] },
  values?: unknown[],
) => Promise<unknown>;

/**
 * Makes a connection prepare frequently used statements: for most statements of this service, planning takes longer
 * than execution. Statements inside transactions are not prepared: there, a plan made stale by a migration would fail
 * the whole transaction.
 */
export function prepareFrequentStatements(client: ClientBase, names: StatementNames): void {
  const { connection, getTransactionStatus } = client as unknown as Prepared;
  const send = client.query.bind(client) as unknown as Send;
  const query: Send = async (text, values) => {
    const isRepeatable =
      typeof text === 'string' && values?.length && getTransactionStatus.call(client) === 'I';
    const name = isRepeatable ? names.of(text) : undefined;
    if (!isRepeatable || name === undefined) return send(text, values);
    try {
      return await send({ name, text, values });
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      delete connection.parsedStatements[name];
      await send(`deallocate ${name}`);
      return send(text, values);
    }
  };
  client.query = query as unknown as typeof client.query;
}

/** Whether a statement was rejected before execution because its result columns have changed since it was prepared. */
function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
