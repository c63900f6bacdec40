import type { PersonalAccessToken } from '@bindery/contract';
import { MACHINE } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { findAccountByName, lockAccount } from './account.ts';
import { personalAccessTokensOf } from './personal-access-tokens.ts';

/** Everything that authenticates an account: signed-in browsers, logins of devices, personal access tokens. */
export interface Logins {
  sessions: number;
  devices: number;
  personalTokens: PersonalAccessToken[];
}

/** Returns what `endLogins` would end. Throws `not_found` for an unknown user name. */
export async function listLogins({ db }: DatabaseContext, userName: string): Promise<Logins> {
  const { id } = await findAccountByName(db, userName);
  return loginsOf(db, id);
}

/**
 * Ends all logins of an account at once: browsers, device logins, personal access tokens and logins in progress.
 * Returns what it ended. Throws `not_found` for an unknown user name.
 */
export async function endLogins({ db, clock }: DatabaseContext, userName: string): Promise<Logins> {
  const { id } = await findAccountByName(db, userName);
  return db.transaction().execute(async (trx) => {
    const ended = await endLoginsOf(trx, id);
    await recordAudit(trx, clock(), MACHINE, { action: 'logins.end', target: userName });
    return ended;
  });
}

/** Ends all logins of an account as part of a transaction. */
export async function endLoginsOf(trx: Database, accountId: string): Promise<Logins> {
  await lockAccount(trx, accountId);
  const ended = await loginsOf(trx, accountId);
  await trx
    .updateTable('accounts')
    .set((eb) => ({ logins_ended: eb('logins_ended', '+', 1) }))
    .where('id', '=', accountId)
    .execute();
  await trx.deleteFrom('sign_in_sessions').where('user_id', '=', accountId).execute();
  await trx.deleteFrom('token_families').where('account_id', '=', accountId).execute();
  await trx.deleteFrom('personal_access_tokens').where('account_id', '=', accountId).execute();
  return ended;
}

async function loginsOf(db: Database, accountId: string): Promise<Logins> {
  const { sessions, devices } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('sign_in_sessions')
        .select((of) => of.fn.countAll().as('count'))
        .where('user_id', '=', accountId)
        .as('sessions'),
      eb
        .selectFrom('token_families')
        .select((of) => of.fn.countAll().as('count'))
        .where('account_id', '=', accountId)
        .as('devices'),
    ])
    .executeTakeFirstOrThrow();
  return {
    sessions: Number(sessions),
    devices: Number(devices),
    personalTokens: await personalAccessTokensOf(db, { accountId }),
  };
}
