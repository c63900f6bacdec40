import { invalidToken } from '../errors.ts';

/** Returns the token of an `Authorization: Bearer …` header. Throws `invalid_token` for any other header, or none. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '');
  if (!match?.[1]) throw invalidToken();
  return match[1];
}
