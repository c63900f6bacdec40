import { randomUUID } from 'node:crypto';
import type { PersonalAccessToken, TokenScope } from '@bindery/contract';
import { DAY } from '@bindery/contract/wire';
import type { Selectable } from 'kysely';
import { loadNamespaceForWrite } from '../access/namespaces.ts';
import { requireRecentSignIn } from '../access/operators.ts';
import {
  type AccountViewer,
  type BrowserTokenIdentity,
  MACHINE,
  requireAccount,
  requireUnboundToken,
  requireWriteScope,
  type ServiceTokenIdentity,
  tokenAppliesIn,
  type Viewer,
} from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import type { PersonalAccessTokensTable } from '../database/tables/accounts.ts';
import { forbidden, invalidParameter, invalidToken, notFound } from '../errors.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
import { findAccountByName } from './accounts.ts';
import { lockBrowserSession, lockFamily } from './sessions.ts';

/** The prefix of personal access tokens, so that secret scanners and people recognise them. */
export const TOKEN_PREFIX = 'bnd_';

/** A token with its secret, which is not stored and cannot be shown again. */
type IssuedToken = PersonalAccessToken & { token: string };

/** Creates a token. The caller must have checked that this is allowed. */
export async function issuePersonalAccessToken(
  { db, clock }: DatabaseContext,
  token: {
    accountId: string;
    /** The device login that creates it; null if an operator or a browser does. */
    familyId: string | null;
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
    family_id: token.familyId,
    namespace_id: token.namespace?.id ?? null,
    name: token.name,
    token_hash: hashSecret(secret),
    scope: token.scope,
    created_at: clock(),
    expires_at: token.expiresAt,
  };
  await db.insertInto('personal_access_tokens').values(row).execute();
  return { ...describeToken(row, token.namespace?.slug ?? null, token.familyId), token: secret };
}

function describeToken(
  row: Selectable<PersonalAccessTokensTable>,
  namespace: string | null,
  familyId: string | null,
): PersonalAccessToken {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    namespace,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    ofThisLogin: familyId !== null && row.family_id === familyId,
  };
}

/** The viewer behind a personal access token, or null if it does not exist or has expired. */
export async function viewerOfPersonalAccessToken(
  { db, clock }: DatabaseContext,
  secret: string,
): Promise<AccountViewer | null> {
  const row = await usableTokens(db, clock()).where('token_hash', '=', hashSecret(secret)).executeTakeFirst();
  return row ? viewerOf(row) : null;
}

/** A personal access token as a pair of keys, of which the second one signs requests and is never sent. */
export interface AccessKey {
  viewer: AccountViewer;
  secretAccessKey: string;
}

/** How many digits of a token's hash name it in signed requests; the others are its secret access key. */
const ACCESS_KEY_ID_DIGITS = 20;

/** Finds the token that has this name in signed requests; null if it does not exist or has expired. */
export async function findAccessKey({ db, clock }: DatabaseContext, id: string): Promise<AccessKey | null> {
  if (id.length !== ACCESS_KEY_ID_DIGITS || /[^0-9a-f]/.test(id)) return null;
  const row = await usableTokens(db, clock())
    .where('token_hash', '>=', id)
    .where('token_hash', '<', `${id}g`)
    .executeTakeFirst();
  if (!row) return null;
  return { viewer: viewerOf(row), secretAccessKey: row.token_hash.slice(ACCESS_KEY_ID_DIGITS) };
}

function usableTokens(db: Database, now: number) {
  return db
    .selectFrom('personal_access_tokens as token')
    .innerJoin('accounts', 'accounts.id', 'token.account_id')
    .select(['accounts.id as accountId', 'accounts.user_name as userName'])
    .select(['token.id', 'token.scope', 'token.namespace_id', 'token.expires_at', 'token.token_hash'])
    .where('accounts.disabled_at', 'is', null)
    .where((eb) => eb.or([eb('token.expires_at', 'is', null), eb('token.expires_at', '>', now)]));
}

type UsableToken = Awaited<ReturnType<ReturnType<typeof usableTokens>['executeTakeFirstOrThrow']>>;

function viewerOf(row: UsableToken): AccountViewer {
  return {
    kind: 'account',
    accountId: row.accountId,
    userName: row.userName,
    scope: row.scope,
    boundNamespaceId: row.namespace_id,
    token: { kind: 'personal', id: row.id, expiresAt: row.expires_at },
    shareToken: null,
  };
}

/** The viewer's tokens, newest first; a token that is bound to a namespace sees only those bound to the same one. */
export async function listPersonalAccessTokens(
  { db }: DatabaseContext,
  viewer: Viewer,
): Promise<PersonalAccessToken[]> {
  const { accountId, boundNamespaceId, token } = requireAccount(viewer);
  const familyId = token.kind === 'service' ? token.familyId : null;
  return personalAccessTokensOf(db, { accountId, boundNamespaceId, familyId });
}

/** The tokens of an account, newest first, as seen with a token of that namespace and login. */
export async function personalAccessTokensOf(
  db: Database,
  {
    accountId,
    boundNamespaceId = null,
    familyId = null,
  }: { accountId: string; boundNamespaceId?: string | null; familyId?: string | null },
): Promise<PersonalAccessToken[]> {
  const rows = await ownTokens(db, { accountId, boundNamespaceId })
    .leftJoin('namespaces', 'namespaces.id', 'token.namespace_id')
    .selectAll('token')
    .select('namespaces.slug')
    .orderBy('token.created_at', 'desc')
    .orderBy('token.id')
    .execute();
  return rows.map(({ slug, ...row }) => describeToken(row, slug, familyId));
}

/** Who may create tokens. Throws `forbidden` for personal access tokens, which cannot create others. */
export function requireTokenCreator(viewer: Viewer): TokenCreator {
  const account = requireAccount(viewer);
  requireUnboundToken(account);
  requireWriteScope(account);
  const { token } = account;
  if (token.kind !== 'personal') return { ...account, token };
  throw forbidden(
    'A personal access token cannot create others. Sign in with "bindery login" and create it there.',
  );
}

type SignIn = ServiceTokenIdentity | BrowserTokenIdentity;
type TokenCreator = AccountViewer & { token: SignIn };

/**
 * Creates a token for a viewer who signed in recently. A token created with a device's login ends with that login; one
 * created in a browser does not. Throws `recent_sign_in_required`.
 */
export async function createPersonalAccessToken(
  context: DatabaseContext,
  account: TokenCreator,
  input: {
    name: string;
    scope: TokenScope;
    namespace?: string | undefined;
    expiresInDays?: number | undefined;
  },
): Promise<IssuedToken> {
  const { token: signIn } = account;
  const { name, scope, namespace = null, expiresInDays } = input;
  const now = context.clock();
  return context.db.transaction().execute(async (trx) => {
    const bound = namespace === null ? null : await loadNamespaceForWrite(trx, account, namespace);
    requireRecentSignIn(signIn, now, 'Personal access tokens can only be created');
    if (!(await lockSignIn(trx, account.accountId, signIn))) throw invalidToken();
    const issued = await issuePersonalAccessToken(
      { ...context, db: trx },
      {
        accountId: account.accountId,
        familyId: signIn.kind === 'service' ? signIn.familyId : null,
        name,
        scope,
        namespace: bound === null ? null : { id: bound.row.id, slug: bound.row.slug },
        expiresAt: expiresInDays === undefined ? null : now + expiresInDays * DAY,
      },
    );
    await recordAudit(trx, now, actorOf(account), {
      action: 'token.create',
      target: issued.id,
      details: { name, scope, namespace },
    });
    return issued;
  });
}

/** Loads one of the viewer's tokens for its deletion. Throws 404, then 403. */
export async function loadOwnToken(db: Database, viewer: Viewer, id: string): Promise<{ id: string }> {
  const account = requireAccount(viewer);
  const found = await ownTokens(db, account).select('token.id').where('token.id', '=', id).executeTakeFirst();
  if (!found) throw notFound();
  requireWriteScope(account);
  return found;
}

export async function deletePersonalAccessToken(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { id }: { id: string },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('personal_access_tokens').where('id', '=', id).execute();
    await recordAudit(trx, clock(), actorOf(viewer), { action: 'token.delete', target: id });
  });
}

function ownTokens(db: Database, viewer: Pick<AccountViewer, 'accountId' | 'boundNamespaceId'>) {
  return db
    .selectFrom('personal_access_tokens as token')
    .where('token.account_id', '=', viewer.accountId)
    .where(tokenAppliesIn(viewer, 'token.namespace_id'));
}

function lockSignIn(trx: Database, accountId: string, signIn: SignIn): Promise<boolean> {
  return signIn.kind === 'service'
    ? lockFamily(trx, signIn.familyId)
    : lockBrowserSession(trx, { accountId, sessionId: signIn.sessionId });
}

/**
 * Operator command: creates a personal access token for a user, directly in the database. Throws `not_found` for an
 * unknown user name, `forbidden` if the account is disabled.
 */
export async function createToken(
  context: DatabaseContext,
  userName: string,
  {
    scope = 'write',
    expiresInDays,
    name = 'created by the operator',
  }: { scope?: TokenScope; expiresInDays?: number; name?: string } = {},
): Promise<IssuedToken> {
  if (expiresInDays !== undefined && !(Number.isInteger(expiresInDays) && expiresInDays >= 1)) {
    throw invalidParameter('expires', `expires: whole days, at least 1 (received ${expiresInDays}).`);
  }
  const account = await findAccountByName(context.db, userName);
  if (account.disabled_at !== null) {
    throw forbidden(
      `The account "${userName}" is disabled. Enable it first: bindery admin enable-user ${userName}`,
    );
  }
  const expiresAt = expiresInDays === undefined ? null : context.clock() + expiresInDays * DAY;
  return context.db.transaction().execute(async (trx) => {
    const token = { accountId: account.id, familyId: null, name, scope, namespace: null, expiresAt };
    const issued = await issuePersonalAccessToken({ ...context, db: trx }, token);
    const details = { name, scope, user: userName };
    await recordAudit(trx, context.clock(), actorOf(MACHINE), {
      action: 'token.create',
      target: issued.id,
      details,
    });
    return issued;
  });
}
