import type { Database } from '../database/schema.ts';
import { lockOperators } from '../database/settings.ts';
import { notFound } from '../errors.ts';
import type { AccountViewer, BrowserTokenIdentity, ServiceTokenIdentity, Viewer } from './viewer.ts';

/** An operator who signed in; a personal access token cannot administer the service. */
export type OperatorViewer = AccountViewer & { token: BrowserTokenIdentity | ServiceTokenIdentity };

/** Returns the viewer as an operator. Throws `not_found` for everyone else, with or without a token. */
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

/** Like `loadOperator`, but prevents changes to who is an operator until the transaction ends. */
export async function lockOperator(trx: Database, viewer: Viewer): Promise<OperatorViewer> {
  await lockOperators(trx);
  return loadOperator(trx, viewer);
}
