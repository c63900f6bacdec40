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

/** What quotas of a namespace limit. */
export const QUOTA_AMOUNTS = ['libraries', 'files', 'bytes'] as const;

/** The maximum; null: limited only by the space in the store. */
const limit = z.int().min(0).nullable();
export const quotaLimits = z.strictObject({ libraries: limit, files: limit, bytes: limit });
export type QuotaLimits = z.infer<typeof quotaLimits>;

/**
 * What the libraries of a namespace hold, as quotas count it: current revisions, the Trash and releases, each content
 * once per library.
 */
export const quotaAmounts = z.object({ libraries: z.int(), files: z.int(), bytes: z.int() });
export type QuotaAmounts = z.infer<typeof quotaAmounts>;

export const namespaceQuota = z.object({
  limits: quotaLimits,
  /** Null if it has changed since it was measured: the next upload or register measures it again. */
  used: quotaAmounts.nullable(),
});
export type NamespaceQuota = z.infer<typeof namespaceQuota>;

export const namespace = z.object({
  slug: z.string(),
  displayName: z.string(),
  kind: z.enum(['personal', 'team']),
  viewerRole: namespaceRole.nullable(),
  createdAt: timestamp,
  /** Present for members if the namespace has a quota, where a single namespace is returned. */
  quota: namespaceQuota.optional(),
});
export type Namespace = z.infer<typeof namespace>;

export const membership = z.object({ userName: z.string(), role: namespaceRole });
export type Membership = z.infer<typeof membership>;

/**
 * An active sign-in: a browser, or a device that ran `bindery login`. `name` is what it reported: the browser's
 * `User-Agent`, the client's name.
 */
export const login = z.object({
  id: z.string(),
  kind: z.enum(['browser', 'device']),
  name: z.string().nullable(),
  signedInAt: timestamp,
  expiresAt: timestamp,
  /** Whether it is the one that makes this request. */
  isThisOne: z.boolean(),
});
export type Login = z.infer<typeof login>;

/** How a user can sign in to their account. */
export const signInMethods = z.object({
  /** Whether the account has a password, and the service accepts passwords. */
  password: z.boolean(),
  /** The name of the service's OpenID Connect provider, and whether the account is connected to it; null: none. */
  provider: z.object({ name: z.string(), isConnected: z.boolean() }).nullable(),
});
export type SignInMethods = z.infer<typeof signInMethods>;

/** A personal access token as listed; the secret itself is shown once, when it is created. */
export const personalAccessToken = z.object({
  id: z.string(),
  name: z.string(),
  scope: tokenScope,
  namespace: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  /** Whether it was created with the login that makes this request, and ends with it. */
  ofThisLogin: z.boolean(),
});
export type PersonalAccessToken = z.infer<typeof personalAccessToken>;
