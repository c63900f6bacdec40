import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { DatabaseContext } from '../context.ts';
import { invalidToken } from '../errors.ts';
import { type Claims, LIFETIME, type Tokens } from './ports.ts';
import { ALGORITHM, createSigningKeys } from './signing-keys.ts';

const ISSUER = 'bindery';

const payloadRule = z.object({
  aud: z.enum(['bindery:api', 'bindery:browser', 'bindery:exchange']),
  sub: z.string(),
  userName: z.string(),
  family: z.string(),
  jti: z.string(),
  exp: z.number(),
});

export function createTokens({ db, clock }: DatabaseContext): Tokens {
  const keys = createSigningKeys({ db, clock });
  return {
    sign: async (audience, account, family) => {
      const key = await keys.newest();
      const id = randomUUID();
      const issuedAt = Math.floor(clock() / 1_000);
      const expires = Math.min(issuedAt + LIFETIME[audience], Math.floor(family.expiresAt / 1_000));
      const token = await new SignJWT({ userName: account.userName, family: family.id })
        .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'JWT' })
        .setSubject(account.id)
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setJti(id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires)
        .sign(key.private);
      return { token, audience, id, accountId: account.id, familyId: family.id, expiresAt: expires * 1_000 };
    },

    verify: async (audiences, token) => {
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = kid ? await keys.publicKey(kid) : null;
            if (!key) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [ALGORITHM],
            issuer: ISSUER,
            audience: [...audiences],
            currentDate: new Date(clock()),
          },
        );
        const { aud, sub, jti, family, exp } = payloadRule.parse(payload);
        return { audience: aud, accountId: sub, id: jti, familyId: family, expiresAt: exp * 1_000 };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
        throw error;
      }
    },
  };
}

/** Marks a token as spent. Returns false if it already was; of concurrent calls, one returns true. */
export async function spend(
  { db }: DatabaseContext,
  { id, expiresAt }: Pick<Claims, 'id' | 'expiresAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_tokens')
    .values({ jti: id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns the token of an `Authorization: Bearer …` header. Throws `invalid_token` for any other header, or none. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '');
  if (!match?.[1]) throw invalidToken();
  return match[1];
}
