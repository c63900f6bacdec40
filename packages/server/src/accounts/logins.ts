import type { Login } from '@bindery/contract';
import {
  type AccountViewer,
  type BrowserTokenIdentity,
  requireAccount,
  type ServiceTokenIdentity,
  type Viewer,
} from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { endBrowserSession } from './browser-sessions.ts';
import { endFamily } from './token-families.ts';

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
export async function listOwnLogins({ db, clock }: DatabaseContext, viewer: Viewer): Promise<Login[]> {
  const { accountId, token } = requireSignedIn(viewer);
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

/**
 * Signs out a browser or a device of the viewer's account, and ends everything issued from that login. Throws
 * `not_found` for any other id.
 */
export async function endOwnLogin({ db, clock }: DatabaseContext, viewer: Viewer, id: string): Promise<void> {
  const { accountId } = requireSignedIn(viewer);
  const logins = [...(await browsersOf(db, accountId)), ...(await devicesOf(db, accountId))];
  const found = logins.find((login) => login.id === id);
  if (!found) throw notFound();
  await db.transaction().execute(async (trx) => {
    if (found.kind === 'browser') await endBrowserSession(trx, id);
    else await endFamily(trx, id, { keepPersonalTokens: false });
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'login.end',
      target: id,
      details: { kind: found.kind },
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
