import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

export interface NewAccount {
  userName: string;
  displayName: string;
  email: string;
}

/** Makes an account and its personal namespace, or neither. Throws `slug_taken` for a name or address in use. */
export async function createAccount(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  { userName, displayName, email }: NewAccount,
): Promise<{ accountId: string; namespaceId: string }> {
  const accountId = randomUUID();
  const namespaceId = randomUUID();
  const now = clock();
  await db.transaction().execute(async (trx) => {
    const taken = await trx
      .selectFrom('namespaces')
      .select('id')
      .where('slug', '=', userName)
      .unionAll(trx.selectFrom('accounts').select('id').where('email', '=', email.toLowerCase()))
      .executeTakeFirst();
    if (taken) throw new ServiceError('slug_taken', `The name "${userName}" or the e-mail address is taken.`);
    await trx
      .insertInto('accounts')
      .values({
        id: accountId,
        user_name: userName,
        display_name: displayName,
        email: email.toLowerCase(),
        created_at: now,
      })
      .execute();
    await trx
      .insertInto('namespaces')
      .values({
        id: namespaceId,
        slug: userName,
        display_name: displayName,
        kind: 'personal',
        created_at: now,
      })
      .execute();
    await trx
      .insertInto('memberships')
      .values({ namespace_id: namespaceId, account_id: accountId, role: 'owner' })
      .execute();
  });
  return { accountId, namespaceId };
}
