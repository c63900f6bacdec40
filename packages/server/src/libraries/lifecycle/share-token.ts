import { randomBytes } from 'node:crypto';
import type { BodyOf, routes } from '@bindery/contract';

/** What a client requests: a share token if there is none, a new one, or none. */
export type ShareOption = BodyOf<typeof routes.libraries.patchLibrary>['share'];

/** Returns the share token after a change, 192 random bits as base64url text. Without an option it stays the same. */
export function shareTokenAfter(option: ShareOption, current: string | null): string | null {
  if (option === undefined) return current;
  if (option === false) return null;
  return option === 'rotate' || current === null ? randomBytes(24).toString('base64url') : current;
}
