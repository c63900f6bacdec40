import { randomBytes } from 'node:crypto';
import type { BodyOf, routes } from '@bindery/contract';

/** What a client asks of the share token: one if there is none, a new one, or none. */
export type ShareOption = BodyOf<typeof routes.libraries.patchLibrary>['share'];

/** The share token afterwards; without an option it stays. 192 random bits as base64url text. */
export function shareTokenAfter(option: ShareOption, current: string | null): string | null {
  if (option === undefined) return current;
  if (option === false) return null;
  return option === 'rotate' || current === null ? randomBytes(24).toString('base64url') : current;
}
