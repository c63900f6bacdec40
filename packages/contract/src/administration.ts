import { z } from 'zod';
import { membership, namespaceQuota, namespaceRole } from './account.ts';
import { visibility } from './library.ts';
import { pageNumbers, timestamp } from './parameters.ts';
import { webhook } from './webhooks.ts';

/** An account as operators see it. */
export const administeredUser = z.object({
  userName: z.string(),
  displayName: z.string(),
  email: z.string(),
  createdAt: timestamp,
  /** Since when nobody can sign in to it; null: not disabled. */
  disabledAt: timestamp.nullable(),
  isOperator: z.boolean(),
});
export type AdministeredUser = z.infer<typeof administeredUser>;

export const administeredUserPage = z.object({ users: z.array(administeredUser), ...pageNumbers });
export type AdministeredUserPage = z.infer<typeof administeredUserPage>;

/** An invitation that nobody has used yet. Its link is known only to who created it. */
export const invitation = z.object({
  id: z.string(),
  /** Whom it is for, as far as the operator said. */
  email: z.string().nullable(),
  /** The user name of the operator; null for a command on the service's own machine. */
  invitedBy: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Invitation = z.infer<typeof invitation>;

/** What happens to a namespace when one of its members is deleted. */
export const onDeletion = z
  .enum(['left', 'deleted', 'handedOver'])
  .describe(
    'left: its other owners keep it; deleted: it is empty and has no other members; handedOver: it needs another owner',
  );
export type OnDeletion = z.infer<typeof onDeletion>;

/** A namespace of an account, and what happens to it if the account is deleted. */
export const accountNamespace = z.object({
  slug: z.string(),
  kind: z.enum(['personal', 'team']),
  role: namespaceRole,
  onDeletion,
});
export type AccountNamespace = z.infer<typeof accountNamespace>;

export const administeredUserDetail = administeredUser.extend({
  /** Active sign-ins and tokens of the account. */
  logins: z.object({ browsers: z.int(), devices: z.int(), personalTokens: z.int() }),
  /** How to sign in to it; `issuers` are the hosts of OpenID Connect providers that it is connected to. */
  signsInBy: z.object({ password: z.boolean(), issuers: z.array(z.string()) }),
  namespaces: z.array(accountNamespace),
});
export type AdministeredUserDetail = z.infer<typeof administeredUserDetail>;

/** Libraries, including those in the Trash unless stated otherwise, and what their current revisions hold. */
const amounts = { libraries: z.int(), files: z.int(), bytes: z.int() };

/** A namespace as operators see it: names and sizes, even if they may not read its contents. */
export const administeredNamespace = z.object({
  slug: z.string(),
  displayName: z.string(),
  kind: z.enum(['personal', 'team']),
  createdAt: timestamp,
  members: z.int(),
  ...amounts,
  /** Absent if it has none. */
  quota: namespaceQuota.optional(),
});
export type AdministeredNamespace = z.infer<typeof administeredNamespace>;

export const administeredNamespacePage = z.object({
  namespaces: z.array(administeredNamespace),
  ...pageNumbers,
});
export type AdministeredNamespacePage = z.infer<typeof administeredNamespacePage>;

/** A library as operators see it. */
export const administeredLibrary = z.object({
  namespace: z.string(),
  name: z.string(),
  visibility,
  isInTrash: z.boolean(),
  files: z.int(),
  bytes: z.int(),
  updatedAt: timestamp,
});
export type AdministeredLibrary = z.infer<typeof administeredLibrary>;

export const administeredNamespaceDetail = administeredNamespace.extend({
  memberships: z.array(membership),
  /** Its largest libraries. */
  largest: z.array(administeredLibrary),
});
export type AdministeredNamespaceDetail = z.infer<typeof administeredNamespaceDetail>;

/** A webhook as operators see it: paths of URLs are often secrets, so only the host is named. */
export const administeredWebhook = webhook.omit({ url: true }).extend({
  namespace: z.string(),
  host: z.string(),
  /** Deliveries that are still to be sent. */
  waiting: z.int(),
  /** Deliveries that were given up and are still on record. */
  failed: z.int(),
});
export type AdministeredWebhook = z.infer<typeof administeredWebhook>;

export const administeredWebhookPage = z.object({ webhooks: z.array(administeredWebhook), ...pageNumbers });
export type AdministeredWebhookPage = z.infer<typeof administeredWebhookPage>;

/** A disk that the service writes to. Sizes are in bytes. */
export const diskSpace = z.object({
  total: z.int(),
  free: z.int(),
  /** What uploads leave free for the database. */
  reserve: z.int(),
});
export type ReportedDiskSpace = z.infer<typeof diskSpace>;

export const storageReport = z.object({
  /** What all active libraries hold. */
  active: z.object(amounts),
  /** What is in the Trash. */
  trash: z.object(amounts),
  /** Upper bound on the bytes that were uploaded and not registered. */
  unregisteredBytes: z.int(),
  /** Objects that no revision names any longer and that are about to be deleted. */
  pendingObjects: z.int(),
  /** Stored objects that were found damaged and not replaced yet. */
  damagedObjects: z.int(),
  largest: z.array(administeredLibrary),
  /** Null if the objects are not on a disk of the service. */
  disk: diskSpace.nullable(),
});
export type StorageReport = z.infer<typeof storageReport>;

/** What the responding process did within one minute. */
export const minuteOfWork = z.object({
  /** When the minute began. */
  at: timestamp,
  requests: z.int(),
  /** Requests that failed because of the service (5xx). */
  failures: z.int(),
  /** Mean time of a request. */
  meanMilliseconds: z.number(),
});
export type MinuteOfWork = z.infer<typeof minuteOfWork>;

export const healthReport = z.object({
  status: z.enum(['ready', 'failing']),
  /** What does not work now, and why. */
  problems: z.array(z.string()),
  version: z.string(),
  node: z.string(),
  startedAt: timestamp,
  database: z.object({ kind: z.enum(['SQLite', 'PostgreSQL']), schema: z.string() }),
  /** Resident memory of the process in bytes. */
  memoryBytes: z.int(),
  /** Of the responding process since its start. */
  transferred: z.object({ bytesIn: z.int(), bytesOut: z.int() }),
  /** The last hour of the responding process, the earliest minute first; minutes without a request are left out. */
  lastHour: z.array(minuteOfWork),
});
export type HealthReport = z.infer<typeof healthReport>;

export const modelReport = z.object({
  /** The model that turns queries into vectors now; null: searches are by keyword only. */
  active: z.string().nullable(),
  /** The configured model; null: none. */
  configured: z.string().nullable(),
  /** Active libraries by the model of their vectors; null: without vectors. */
  libraries: z.array(z.object({ model: z.string().nullable(), libraries: z.int(), assets: z.int() })),
});
export type ModelReport = z.infer<typeof modelReport>;
