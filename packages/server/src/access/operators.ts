import { lockOperators } from '../database/lock-operators.ts';
import type { Database } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import type { AccountViewer, BrowserTokenIdentity, ServiceTokenIdentity, Viewer } from './viewer.ts';

/** An operator who signed in: no personal token administers. */
export type OperatorViewer = AccountViewer & { token: BrowserTokenIdentity | ServiceTokenIdentity };

/** The operator who asks; for everybody else, with a token or without, there is nothing. */
export async function loadOperator(db: Database, viewer: Viewer): Promise<OperatorViewer> {
  if (viewer.kind !== 'account') throw notFound();
  const { token } = viewer;
  if (token.kind === 'personal') throw notFound();
  const found = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', viewer.accountId)
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound();
  return { ...viewer, token };
}

/** The same, with the right held until the transaction ends. */
export async function holdOperator(trx: Database, viewer: Viewer): Promise<OperatorViewer> {
  await lockOperators(trx);
  return loadOperator(trx, viewer);
}
