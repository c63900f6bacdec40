import type { TokenScope } from '@bindery/contract';
import { invalidParameter, ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { type IssuedToken, issuePersonalAccessToken } from './personal-access-tokens.ts';

const DAY = 86_400_000;

/** The operator's way to a personal access token, straight on the database. Throws `not_found` for the user name. */
export async function createToken(
  parts: Pick<Parts, 'db' | 'clock'>,
  userName: string,
  {
    scope = 'write',
    expiresInDays,
    name = 'made by the operator',
  }: { scope?: TokenScope; expiresInDays?: number; name?: string } = {},
): Promise<IssuedToken> {
  if (expiresInDays !== undefined && !(Number.isInteger(expiresInDays) && expiresInDays >= 1)) {
    throw invalidParameter('expires', `expires: whole days, at least 1 (received ${expiresInDays}).`);
  }
  const account = await parts.db
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', userName)
    .executeTakeFirst();
  if (!account) throw new ServiceError('not_found', `There is no account "${userName}".`);
  const expiresAt = expiresInDays === undefined ? null : parts.clock() + expiresInDays * DAY;
  return issuePersonalAccessToken(parts, { accountId: account.id, name, scope, namespace: null, expiresAt });
}
