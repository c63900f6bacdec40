import { z } from 'zod';
import { namespaceSlug } from './name-schemas.ts';
import { timestamp } from './parameters.ts';

/** A user name is also the slug of the personal namespace. */
export const userName = namespaceSlug;

/** Readers see what members see, and change nothing. */
export const namespaceRole = z.enum(['owner', 'member', 'reader']);
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

/** What quotas of a namespace bound. */
export const QUOTA_AMOUNTS = ['libraries', 'files', 'bytes'] as const;

/** At most so much; null: as much as there is room for. */
const limit = z.int().min(0).nullable();
export const quotaLimits = z.strictObject({ libraries: limit, files: limit, bytes: limit });
export type QuotaLimits = z.infer<typeof quotaLimits>;

/**
 * What the libraries of a namespace hold as quotas count it: current revisions, the Trash and releases, each content of a
 * library once.
 */
export const quotaAmounts = z.object({ libraries: z.int(), files: z.int(), bytes: z.int() });
export type QuotaAmounts = z.infer<typeof quotaAmounts>;

export const namespaceQuota = z.object({
  limits: quotaLimits,
  /** Null where it has changed since it was measured: the next upload or register measures it again. */
  used: quotaAmounts.nullable(),
});
export type NamespaceQuota = z.infer<typeof namespaceQuota>;

export const namespace = z.object({
  slug: z.string(),
  displayName: z.string(),
  kind: z.enum(['personal', 'team']),
  viewerRole: namespaceRole.nullable(),
  createdAt: timestamp,
  /** For members of a namespace that has a quota, where one namespace is read. */
  quota: namespaceQuota.optional(),
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

/** By what somebody can sign in to their account. */
export const signInMethods = z.object({
  /** Whether by a password: the account has one, and the service takes passwords. */
  password: z.boolean(),
  /** The OpenID Connect provider of the service by its name, and whether the account is connected with it; null: none. */
  provider: z.object({ name: z.string(), isConnected: z.boolean() }).nullable(),
});
export type SignInMethods = z.infer<typeof signInMethods>;

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
