import type { Database } from '../database/schema.ts';
import { lockOperators } from '../database/settings.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { AccountViewer, Actor, BrowserTokenIdentity, Machine, ServiceTokenIdentity } from './viewer.ts';

/** An operator who signed in; a personal access token cannot administer the service. */
type OperatorViewer = AccountViewer & { token: BrowserTokenIdentity | ServiceTokenIdentity };

/** Who may administer the service: whoever works on its own machine, too. */
export type Operator = OperatorViewer | Machine;

/** Returns the actor as an operator. Throws `not_found` for everyone else, with or without a token. */
export async function loadOperator(db: Database, actor: Actor): Promise<Operator> {
  if (actor.kind === 'machine') return actor;
  if (actor.kind !== 'account') throw notFound();
  const { token } = actor;
  if (token.kind === 'personal') throw notFound();
  const found = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', actor.accountId)
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound();
  return { ...actor, token };
}

/** Like `loadOperator`, but prevents changes to who is an operator until the transaction ends. */
export async function lockOperator(trx: Database, actor: Actor): Promise<Operator> {
  await lockOperators(trx);
  return loadOperator(trx, actor);
}

/** Like `lockOperator`, for actions that `requireRecentSignIn` guards; `what` as there. */
export async function lockRecentOperator(
  trx: Database,
  actor: Actor,
  now: number,
  what: string,
): Promise<Operator> {
  const operator = await lockOperator(trx, actor);
  if (operator.kind === 'account') requireRecentSignIn(operator.token, now, what);
  return operator;
}

/** Throws `last_operator`, rolling back the transaction, if no operator who can sign in is left. */
export async function requireSomeOperator(trx: Database): Promise<void> {
  const left = await trx
    .selectFrom('accounts')
    .select('id')
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  throw new ServiceError(
    'last_operator',
    'The service needs at least one operator. Appoint another one first.',
  );
}

/** How long a sign-in counts as recent, in milliseconds. */
export const RECENT_SIGN_IN = 3_600_000;

/**
 * Guards actions whose effects outlive the token, so that a stolen token can perform them only within an hour of its
 * sign-in. `what` begins the error's sentence: "Accounts can only be deleted". Throws `recent_sign_in_required`.
 */
export function requireRecentSignIn(
  { signedInAt }: BrowserTokenIdentity | ServiceTokenIdentity,
  now: number,
  what: string,
): void {
  if (now - signedInAt <= RECENT_SIGN_IN) return;
  throw new ServiceError(
    'recent_sign_in_required',
    `${what} within an hour of signing in. Sign in again with "bindery login", then retry.`,
  );
}
