import type { ClientBase } from 'pg';

/** Times that a statement is sent before connections keep it prepared. */
const MIN_USES = 5;

/** Statements that a connection keeps prepared at most: each takes memory of PostgreSQL for its plan. */
const MAX_PREPARED = 100;

/** Statements of which uses are counted at most. */
const MAX_COUNTED = 1_000;

/** Names for statements that are sent often, the same on all connections of a pool. */
export class StatementNames {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** The name under which to prepare a statement; undefined for one that is not sent often. */
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

/** What the library keeps of a connection, and its types leave out. */
interface Prepared {
  connection: { parsedStatements: Record<string, string> };
  getTransactionStatus(): string | null;
}

type Send = (
  query: string | { name: string; text: string; values: unknown[] },
  values?: unknown[],
) => Promise<unknown>;

/**
 * Has a connection prepare what is sent often: planning takes longer than most statements of this service. Within
 * transactions nothing is prepared, since a plan that a migration has made stale fails there with all that was done before.
 */
export function prepareWhatIsSentOften(client: ClientBase, names: StatementNames): void {
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

/** Whether a statement was refused, before anything was done, because its columns are others than when it was prepared. */
function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
