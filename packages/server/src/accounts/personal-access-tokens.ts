import { randomUUID } from 'node:crypto';
import type { TokenScope } from '@bindery/contract';
import type { AccountViewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';
import { hashSecret, randomSecret } from './secrets.ts';

/** What personal access tokens start with, so that secret scanners and people recognise them. */
export const TOKEN_PREFIX = 'bnd_';

/** Makes a token and answers its secret, which is not stored and cannot be shown again. */
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
    .selectFrom('personal_access_tokens')
    .innerJoin('accounts', 'accounts.id', 'personal_access_tokens.account_id')
    .select(['accounts.id', 'accounts.user_name', 'scope', 'namespace_id', 'expires_at'])
    .where('token_hash', '=', hashSecret(secret))
    .executeTakeFirst();
  if (!row || (row.expires_at !== null && row.expires_at <= clock())) return null;
  return {
    kind: 'account',
    accountId: row.id,
    userName: row.user_name,
    scope: row.scope,
    onlyNamespaceId: row.namespace_id,
    shareToken: null,
  };
}
