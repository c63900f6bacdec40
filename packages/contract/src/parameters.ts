import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { libraryName, namespaceSlug } from './name-schemas.ts';

export const none = z.strictObject({});

/** An integer written in a query string; a value outside the range is an error, never clamped. */
export function integerParameter(range: { min: number; max: number; default: number }) {
  const rule = `an integer from ${range.min} to ${range.max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, { error: rule })
    .transform(Number)
    .pipe(z.number().int().min(range.min, { error: rule }).max(range.max, { error: rule }))
    .default(range.default)
    .meta({ integer: range });
}

/** The number of a revision, in a query string. */
export const revisionNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'an integer from 1' })
  .transform(Number);

/** Clamps `ttlSeconds`, the requested lifetime of presigned URLs; the response says what was granted. */
export function clampTtl(asked: number | undefined): number {
  const { min, max, default: fallback } = LIMITS.presignTtl;
  return Math.min(max, Math.max(min, asked ?? fallback));
}

/** `ttlSeconds` in a body: any integer, however large, for `clampTtl` to clamp. */
export const ttlSeconds = z
  .number()
  .refine(Number.isInteger, { error: 'an integer' })
  .meta({ type: 'integer' });

/** `true` also returns small versions of pictures, for `srcset` of HTML. */
export const srcset = z.enum(['true', 'false']).default('false');

/** `true` also returns how robots behaved in simulation. */
export const certificates = z.enum(['true', 'false']).default('false');

/** `true` also returns how often assets were used, and whether a library is a favourite of the caller. */
export const uses = z.enum(['true', 'false']).default('false');

/** Like `ttlSeconds`, for `ttlSeconds` in a query string. */
export const ttlSecondsParameter = z
  .string()
  .regex(/^-?\d+$/, { error: 'an integer' })
  .transform(Number)
  .optional();

export const namespaceParams = z.strictObject({ namespace: namespaceSlug });
export const libraryParams = z.strictObject({ namespace: namespaceSlug, name: libraryName });

/** Text that every database and every client can hold: without NUL or lone surrogates. */
export function text(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      error: 'well-formed Unicode without NUL characters',
    });
}

/** A display name: 1 to `maxLength` characters, with white space trimmed at both ends. */
export function nameText(maxLength: number) {
  return z.string().trim().min(1).pipe(text(maxLength)).meta({ maxLength });
}

/** The name of a check of proposals. */
export const checkName = nameText(LIMITS.proposals.checkName);

/** Time as ISO-8601 in UTC. */
export const timestamp = z.iso.datetime();

/** The position of a numbered page, and the totals of its list. */
export const pageNumbers = { total: z.int(), page: z.int(), pageSize: z.int(), totalPages: z.int() };

/** Where a page ends that begins after a cursor. */
export const pageInfo = z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() });
