import { z } from 'zod';
import { namespaceSlug } from './name-schemas.ts';
import { timestamp } from './parameters.ts';

/** A user name is also the slug of the personal namespace. */
export const userName = namespaceSlug;

export const namespaceRole = z.enum(['owner', 'member']);
export type NamespaceRole = z.infer<typeof namespaceRole>;

export const tokenScope = z.enum(['read', 'write']);
export type TokenScope = z.infer<typeof tokenScope>;

export const user = z.object({
  id: z.string(),
  userName: z.string(),
  displayName: z.string(),
  email: z.string(),
});
export type User = z.infer<typeof user>;

export const namespace = z.object({
  slug: z.string(),
  displayName: z.string(),
  kind: z.enum(['personal', 'team']),
  viewerRole: namespaceRole.nullable(),
  createdAt: timestamp,
});
export type Namespace = z.infer<typeof namespace>;

export const membership = z.object({ userName: z.string(), role: namespaceRole });
export type Membership = z.infer<typeof membership>;

/** A personal access token as listed; the secret itself is shown once, when it is made. */
export const personalAccessToken = z.object({
  id: z.string(),
  name: z.string(),
  scope: tokenScope,
  namespace: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  /** Whether it was made with the login that asks, and ends with it. */
  ofThisLogin: z.boolean(),
});
export type PersonalAccessToken = z.infer<typeof personalAccessToken>;
