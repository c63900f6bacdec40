import type { AdministeredUser } from '@bindery/contract';
import type { AccountRow } from '../accounts/accounts.ts';

export function describeAdministeredUser(row: AccountRow): AdministeredUser {
  return {
    userName: row.user_name,
    displayName: row.display_name,
    email: row.email,
    createdAt: new Date(row.created_at).toISOString(),
    disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at).toISOString(),
    isOperator: row.operator === 1,
  };
}
