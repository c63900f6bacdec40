/** Events that are sent to webhooks; `ping` is sent only on request. */
export const WEBHOOK_EVENTS = [
  'library.registered',
  'library.access-set',
  'library.deleted',
  'library.restored',
  'library.purged',
  'release.created',
  'release.deleted',
  'proposal.opened',
  'proposal.commented',
  'proposal.checked',
  'proposal.accepted',
  'proposal.refused',
  'proposal.withdrawn',
  'member.set',
  'member.removed',
  'project.created',
  'project.changed',
  'project.deleted',
  'note.created',
  'note.changed',
  'note.deleted',
  'watch.failed',
  'watch.stopped',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Events of the service itself, sent to webhooks that operators chose for them. */
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
