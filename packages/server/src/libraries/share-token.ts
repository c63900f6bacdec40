import { randomBytes } from 'node:crypto';
import type { BodyOf, routes } from '@bindery/contract';

/** What a client wishes for the share token: one if there is none, a new one, or none. */
export type ShareWish = BodyOf<typeof routes.libraries.patchLibrary>['share'];

/** The share token after a wish; without one it stays. 192 random bits as base64url text. */
export function shareTokenAfter(wish: ShareWish, current: string | null): string | null {
  if (wish === undefined) return current;
  if (wish === false) return null;
  return wish === 'rotate' || current === null ? randomBytes(24).toString('base64url') : current;
}
