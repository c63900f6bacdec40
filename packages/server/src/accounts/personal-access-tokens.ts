import { randomUUID } from 'node:crypto';
import type { PersonalAccessToken, TokenScope } from '@bindery/contract';
import type { Selectable } from 'kysely';
import { loadNamespaceForWrite } from '../access/load-namespace.ts';
import {
  type AccountViewer,
  requireAccount,
  requireUnboundToken,
  requireWriteScope,
  type Viewer,
} from '../access/viewer.ts';
import type { PersonalAccessTokensTable } from '../database/schema.ts';
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
    /** Where the token is valid; everywhere if null. */
    namespace: { id: string; slug: string } | null;
    /** Milliseconds since 1970, or null for never. */
    expiresAt: number | null;
  },
): Promise<IssuedToken> {
  const secret = TOKEN_PREFIX + randomSecret();
  const row = {
    id: randomUUID(),
    account_id: token.accountId,
    namespace_id: token.namespace?.id ?? null,
    name: token.name,
    token_hash: hashSecret(secret),
    scope: token.scope,
    created_at: clock(),
    expires_at: token.expiresAt,
  };
  await db.insertInto('personal_access_tokens').values(row).execute();
  return { ...describeToken(row, token.namespace?.slug ?? null), token: secret };
}

function describeToken(
  row: Selectable<PersonalAccessTokensTable>,
  namespace: string | null,
): PersonalAccessToken {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    namespace,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  };
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
  return rows.map(({ slug, ...row }) => describeToken(row, slug));
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
  return issuePersonalAccessToken(parts, {
    accountId: account.accountId,
    name,
    scope,
    namespace: bound === null ? null : { id: bound.row.id, slug: bound.row.slug },
    expiresAt,
  });
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
