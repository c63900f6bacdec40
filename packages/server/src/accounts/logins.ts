import type { Login, PersonalAccessToken } from '@bindery/contract';
import {
  type AccountViewer,
  type BrowserTokenIdentity,
  MACHINE,
  requireAccount,
  type ServiceTokenIdentity,
  type Viewer,
} from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { findAccountByName, lockAccount, writePassword } from './accounts.ts';
import { hashPassword, requireAcceptablePassword } from './password.ts';
import { personalAccessTokensOf } from './personal-access-tokens.ts';
import { endBrowserSession, endFamily } from './sessions.ts';

/** A viewer who signed in, rather than using a personal access token. */
export type SignedInViewer = AccountViewer & { token: BrowserTokenIdentity | ServiceTokenIdentity };

/** Requires a viewer who can see and change how the account signs in. Throws `forbidden` for personal access tokens. */
export function requireSignedIn(viewer: Viewer): SignedInViewer {
  const account = requireAccount(viewer);
  const { token } = account;
  if (token.kind !== 'personal') return { ...account, token };
  throw forbidden(
    'A personal access token cannot do this. Sign in with the browser or with "bindery login".',
  );
}

/** The browsers and devices that are signed in to the viewer's account, the latest first. */
export async function listOwnLogins(
  { db, clock }: DatabaseContext,
  { accountId, token }: SignedInViewer,
): Promise<Login[]> {
  const now = clock();
  const [browsers, devices] = await Promise.all([browsersOf(db, accountId), devicesOf(db, accountId)]);
  const own = token.kind === 'browser' ? token.sessionId : token.familyId;
  return [...browsers, ...devices]
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((a, b) => b.signedInAt - a.signedInAt || (a.id < b.id ? -1 : 1))
    .map(({ signedInAt, expiresAt, ...login }) => ({
      ...login,
      signedInAt: new Date(signedInAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      isThisOne: login.id === own,
    }));
}

/** Loads a login of the viewer's account. Throws `not_found` for any other id. */
export async function loadOwnLogin(
  db: Database,
  viewer: Viewer,
  id: string,
): Promise<Pick<Login, 'id' | 'kind'>> {
  const { accountId } = requireSignedIn(viewer);
  const logins = [...(await browsersOf(db, accountId)), ...(await devicesOf(db, accountId))];
  const found = logins.find((login) => login.id === id);
  if (!found) throw notFound();
  return found;
}

/** Signs out a browser or a device, and ends everything issued from that login. */
export async function endOwnLogin(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { id, kind }: Pick<Login, 'id' | 'kind'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (kind === 'browser') await endBrowserSession(trx, id);
    else await endFamily(trx, id, { keepPersonalTokens: false });
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'login.end',
      target: id,
      details: { kind },
    });
  });
}

/** Times in milliseconds since 1970. */
type StoredLogin = Pick<Login, 'id' | 'kind' | 'name'> & { signedInAt: number; expiresAt: number };

async function browsersOf(db: Database, accountId: string): Promise<StoredLogin[]> {
  const rows = await db
    .selectFrom('sign_in_sessions')
    .select(['id', 'user_agent', 'created_at', 'expires_at'])
    .where('user_id', '=', accountId)
    .execute();
  return rows.map(({ id, user_agent: userAgent, created_at: createdAt, expires_at: expiresAt }) => ({
    id,
    kind: 'browser',
    name: userAgent || null,
    signedInAt: Date.parse(createdAt),
    expiresAt: Date.parse(expiresAt),
  }));
}

async function devicesOf(db: Database, accountId: string): Promise<StoredLogin[]> {
  const rows = await db
    .selectFrom('token_families')
    .select(['id', 'client_name', 'signed_in_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .execute();
  return rows.map(({ id, client_name: name, signed_in_at: signedInAt, expires_at: expiresAt }) => ({
    id,
    kind: 'device',
    name,
    signedInAt: Number(signedInAt),
    expiresAt: Number(expiresAt),
  }));
}

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
    await recordAudit(trx, clock(), actorOf(MACHINE), { action: 'logins.end', target: userName });
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

/**
 * Operator command: replaces a forgotten or compromised password, directly in the database, and ends all logins of the
 * account as `endLogins` does. Throws `not_found` for an unknown user name, `invalid_parameter` for the password.
 */
export async function setPassword(
  { db, clock }: DatabaseContext,
  userName: string,
  password: string,
): Promise<Logins> {
  requireAcceptablePassword(password);
  const account = await findAccountByName(db, userName);
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    const ended = await endLoginsOf(trx, account.id);
    await writePassword(trx, account.id, passwordHash, clock());
    await recordAudit(trx, clock(), actorOf(MACHINE), { action: 'password.set', target: userName });
    return ended;
  });
}
