import { randomBytes, scryptSync } from 'node:crypto';
import { createAccount } from '../src/accounts/accounts.ts';
import type { DatabaseContext } from '../src/context.ts';

/** Somebody who can sign in with a password. It is hashed at a hundredth of what the service spends on one of its own. */
export function createPerson(
  context: DatabaseContext,
  { userName, email, password }: { userName: string; email: string; password: string },
): Promise<{ accountId: string }> {
  return createAccount(context, {
    userName,
    displayName: userName,
    email,
    passwordHash: cheapHash(password),
  });
}

function cheapHash(password: string): string {
  const [N, r, p, salt] = [1_024, 8, 1, randomBytes(16)];
  const key = scryptSync(password.normalize('NFKC'), salt, 32, { N, r, p });
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}
