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

/**
 * A sign-in that goes on: a browser, or a device that ran `bindery login`. `name` is what it said of itself: the browser's
 * `User-Agent`, the client's name.
 */
export const login = z.object({
  id: z.string(),
  kind: z.enum(['browser', 'device']),
  name: z.string().nullable(),
  signedInAt: timestamp,
  expiresAt: timestamp,
  /** Whether it is the one that asks. */
  isThisOne: z.boolean(),
});
export type Login = z.infer<typeof login>;

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
