import { randomUUID } from 'node:crypto';
import type { PersonalAccessToken, TokenScope } from '@bindery/contract';
import { loadNamespaceForWrite } from '../access/load-namespace.ts';
import {
  type AccountViewer,
  requireAccount,
  requireUnboundToken,
  requireWriteScope,
  type Viewer,
} from '../access/viewer.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { hashSecret, randomSecret } from './secrets.ts';

/** What personal access tokens start with, so that secret scanners and people recognise them. */
export const TOKEN_PREFIX = 'bnd_';

const DAY = 86_400_000;

/** A token with its secret, which is not stored and cannot be shown again. */
export type IssuedToken = PersonalAccessToken & { token: string };

/** Makes a token; whether it may be made was decided by the caller. */
export async function issuePersonalAccessToken(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  token: {
    accountId: string;
    name: string;
    scope: TokenScope;
    namespaceId: string | null;
    expiresAt: number | null;
  },
): Promise<{ id: string; secret: string; createdAt: number }> {
  const id = randomUUID();
  const secret = TOKEN_PREFIX + randomSecret();
  const createdAt = clock();
  await db
    .insertInto('personal_access_tokens')
    .values({
      id,
      account_id: token.accountId,
      namespace_id: token.namespaceId,
      name: token.name,
      token_hash: hashSecret(secret),
      scope: token.scope,
      created_at: createdAt,
      expires_at: token.expiresAt,
    })
    .execute();
  return { id, secret, createdAt };
}

/** The viewer behind a personal access token, or null if there is none such or it has expired. */
export async function viewerOfPersonalAccessToken(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  secret: string,
): Promise<AccountViewer | null> {
  const row = await db
    .selectFrom('personal_access_tokens as token')
    .innerJoin('accounts', 'accounts.id', 'token.account_id')
    .select(['accounts.id as accountId', 'accounts.user_name as userName'])
    .select(['token.id', 'token.scope', 'token.namespace_id', 'token.expires_at'])
    .where('token_hash', '=', hashSecret(secret))
    .executeTakeFirst();
  if (!row || (row.expires_at !== null && row.expires_at <= clock())) return null;
  return {
    kind: 'account',
    accountId: row.accountId,
    userName: row.userName,
    scope: row.scope,
    onlyNamespaceId: row.namespace_id,
    token: { kind: 'personal', id: row.id, expiresAt: row.expires_at },
    shareToken: null,
  };
}

/** The viewer's tokens, newest first; a token that is bound to a namespace sees those bound to the same one. */
export async function listPersonalAccessTokens(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
): Promise<PersonalAccessToken[]> {
  const rows = await ownTokens(db, requireAccount(viewer))
    .leftJoin('namespaces', 'namespaces.id', 'token.namespace_id')
    .selectAll('token')
    .select('namespaces.slug')
    .orderBy('token.created_at', 'desc')
    .orderBy('token.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    namespace: row.slug,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }));
}

/** Makes a token for the viewer. It never reaches further, nor lives longer, than the token that asked for it. */
export async function createPersonalAccessToken(
  parts: Pick<Parts, 'db' | 'clock'>,
  viewer: Viewer,
  readInput: () => {
    name: string;
    scope: TokenScope;
    namespace?: string | undefined;
    expiresInDays?: number | undefined;
  },
): Promise<IssuedToken> {
  const account = requireAccount(viewer);
  requireUnboundToken(account);
  requireWriteScope(account);
  const { name, scope, namespace = null, expiresInDays } = readInput();
  const expiresAt = expiresInDays === undefined ? null : parts.clock() + expiresInDays * DAY;
  const bound = namespace === null ? null : await loadNamespaceForWrite(parts.db, account, namespace);
  requireNoLongerLife(account, expiresAt);
  const { id, secret, createdAt } = await issuePersonalAccessToken(parts, {
    accountId: account.accountId,
    name,
    scope,
    namespaceId: bound?.row.id ?? null,
    expiresAt,
  });
  return {
    id,
    name,
    scope,
    namespace,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    token: secret,
  };
}

export async function deletePersonalAccessToken(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  id: string,
): Promise<void> {
  const account = requireAccount(viewer);
  const found = await ownTokens(db, account).select('token.id').where('token.id', '=', id).executeTakeFirst();
  if (!found) throw notFound();
  requireWriteScope(account);
  await db.deleteFrom('personal_access_tokens').where('id', '=', id).execute();
}

function ownTokens(db: Parts['db'], { accountId, onlyNamespaceId }: AccountViewer) {
  const own = db.selectFrom('personal_access_tokens as token').where('token.account_id', '=', accountId);
  return onlyNamespaceId === null ? own : own.where('token.namespace_id', '=', onlyNamespaceId);
}

/** Personal tokens made by personal tokens end with them; signing in again is the way to longer ones. */
function requireNoLongerLife({ token }: AccountViewer, expiresAt: number | null): void {
  if (token.kind === 'service' || token.expiresAt === null) return;
  if (expiresAt !== null && expiresAt <= token.expiresAt) return;
  throw forbidden('A token may not make one that outlives it. Ask for fewer days, or sign in.');
}
