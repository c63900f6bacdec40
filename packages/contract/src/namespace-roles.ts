import type { NamespaceRole } from './account.ts';

/** Whether the role in a namespace is one that writes; null is that of somebody who is no member. */
export function mayWrite(role: NamespaceRole | null): boolean {
  return role === 'owner' || role === 'member';
}
