import type { NamespaceRole } from './account.ts';

/** Whether a role in a namespace may write; null: not a member. */
export function mayWrite(role: NamespaceRole | null): boolean {
  return role === 'owner' || role === 'member';
}
