/** What webhooks tell of; `ping` is sent on request alone. */
export const WEBHOOK_EVENTS = [
  'library.registered',
  'library.access-set',
  'library.deleted',
  'library.restored',
  'library.purged',
  'release.created',
  'release.deleted',
  'member.set',
  'member.removed',
  'project.created',
  'project.changed',
  'project.deleted',
  'note.created',
  'note.changed',
  'note.deleted',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What webhooks tell of the service itself, where operators chose them for it. */
export const SERVICE_EVENTS = [
  'account.created',
  'account.changed',
  'account.deleted',
  'namespace.created',
  'namespace.deleted',
  'namespace.handed-over',
  'webhook.paused',
  'quota.reached',
  'objects.damaged',
] as const;
export type ServiceEvent = (typeof SERVICE_EVENTS)[number];
