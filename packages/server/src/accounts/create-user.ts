import { userName as userNameRule } from '@bindery/contract';
import { z } from 'zod';
import type { DatabaseContext } from '../context.ts';
import { invalidParameter } from '../errors.ts';
import { type AccountOptions, type CreatedAccount, createAccount } from './create-account.ts';
import { hashPassword, requireAcceptablePassword } from './password.ts';

/** What a person, or the operator on their behalf, fills in. */
export interface NewUser {
  userName: string;
  email: string;
  password: string;
  /** Default: the user name. */
  displayName?: string | undefined;
}

const emailRule = z.email({ error: 'an e-mail address' }).max(254);
const displayNameRule = z.string().trim().min(1).max(100);

/**
 * Creates an account that can sign in with its password. Throws `invalid_parameter` naming the field, or
 * `slug_taken`. `options`: see `createAccount`.
 */
export async function createUser(
  context: DatabaseContext,
  user: NewUser,
  options?: AccountOptions,
): Promise<CreatedAccount> {
  const userName = check('userName', userNameRule, user.userName);
  const email = check('email', emailRule, user.email.trim());
  const displayName = check('displayName', displayNameRule, user.displayName?.trim() || userName);
  requireAcceptablePassword(user.password);
  const passwordHash = await hashPassword(user.password);
  return createAccount(context, { userName, email, displayName, passwordHash }, options);
}

function check(name: string, rule: z.ZodType<string>, value: string): string {
  const result = rule.safeParse(value);
  if (result.success) return result.data;
  const received = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  throw invalidParameter(name, `${name}: ${result.error.issues[0]?.message} (received "${received}").`);
}
