import type { AuditAction, ServiceEvent, WebhookEvent } from '@bindery/contract';

type Details = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A change as recorded in the audit log. */
export interface Change {
  action: AuditAction;
  namespace: { id: string; slug: string };
  /** Who made it; null for a command on the service's own machine. */
  actor: string | null;
  target: string | undefined;
  details: Details;
}

interface EventShape {
  event: WebhookEvent;
  /** How the payload names the change's target. */
  subject: (target: string) => Record<string, string | number>;
  /** The details that are sent. */
  details: readonly string[];
}

const library = (name: string) => ({ library: name });
const project = (slug: string) => ({ project: slug });
const note = (id: string) => ({ note: id });
const user = (userName: string) => ({ user: userName });

/** Splits `library@release`; neither name contains an at sign. */
function release(target: string): Record<string, string> {
  const [name = '', released = ''] = target.split('@');
  return { library: name, release: released };
}

/** Splits `library/proposals/number`. */
function proposal(target: string): Record<string, string | number> {
  const [name = '', number] = target.split('/proposals/');
  return { library: name, proposal: Number(number) };
}

const EVENTS: Partial<Record<AuditAction, EventShape>> = {
  'library.register': {
    event: 'library.registered',
    subject: library,
    details: ['revision', 'visibility', 'shared'],
  },
  'library.change': { event: 'library.access-set', subject: library, details: ['visibility', 'shared'] },
  'library.delete': { event: 'library.deleted', subject: library, details: [] },
  'library.restore': { event: 'library.restored', subject: library, details: [] },
  'library.purge': { event: 'library.purged', subject: library, details: [] },
  'release.create': { event: 'release.created', subject: release, details: ['revision'] },
  'release.delete': { event: 'release.deleted', subject: release, details: ['revision'] },
  'proposal.open': { event: 'proposal.opened', subject: proposal, details: ['title'] },
  'proposal.comment': { event: 'proposal.commented', subject: proposal, details: ['title'] },
  'proposal.check': { event: 'proposal.checked', subject: proposal, details: ['title', 'check', 'state'] },
  'proposal.accept': { event: 'proposal.accepted', subject: proposal, details: ['title', 'revision'] },
  'proposal.refuse': { event: 'proposal.refused', subject: proposal, details: ['title'] },
  'proposal.withdraw': { event: 'proposal.withdrawn', subject: proposal, details: ['title'] },
  'member.set': { event: 'member.set', subject: user, details: ['role'] },
  'member.remove': { event: 'member.removed', subject: user, details: [] },
  'project.create': { event: 'project.created', subject: project, details: ['visibility'] },
  'project.change': { event: 'project.changed', subject: project, details: ['visibility'] },
  'project.delete': { event: 'project.deleted', subject: project, details: [] },
  'note.create': { event: 'note.created', subject: note, details: ['visibility'] },
  'note.change': { event: 'note.changed', subject: note, details: ['visibility'] },
  'note.delete': { event: 'note.deleted', subject: note, details: [] },
  'watch.fail': { event: 'watch.failed', subject: library, details: ['reason'] },
  'watch.stop': { event: 'watch.stopped', subject: library, details: ['reason'] },
};

/** Returns the event that reports a change, and its body; null for changes that webhooks do not report. */
export function eventOf(change: Change, now: number): { event: WebhookEvent; payload: string } | null {
  const shape = EVENTS[change.action];
  if (!shape) return null;
  const { namespace, actor, target = '', details } = change;
  const data = {
    namespace: namespace.slug,
    ...shape.subject(target),
    ...Object.fromEntries(shape.details.map((name) => [name, details[name] ?? null])),
    actor,
  };
  return { event: shape.event, payload: payloadOf(shape.event, now, data) };
}

/** Returns the body of a delivery, in the format of Standard Webhooks. */
export function payloadOf(type: string, now: number, data: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
}

/** A change anywhere in the service, as recorded in the audit log. */
interface ServiceChange {
  action: AuditAction;
  namespace: { slug: string } | null;
  /** Who made it; null for a command on the service's own machine, or the service itself. */
  actor: string | null;
  target: string | undefined;
  details: Details;
}

interface ServiceEventShape {
  event: ServiceEvent;
  /** How the payload names the change's target; absent if it is not sent. */
  subject?: 'user' | 'webhook';
  /** The details that are sent if they are present. */
  details: readonly string[];
}

const SERVICE_EVENTS: Partial<Record<AuditAction, ServiceEventShape>> = {
  'account.create': { event: 'account.created', subject: 'user', details: ['operator'] },
  'account.change': {
    event: 'account.changed',
    subject: 'user',
    details: ['disabled', 'operator', 'connected', 'disconnected'],
  },
  'operator.set': { event: 'account.changed', subject: 'user', details: ['operator'] },
  'account.delete': { event: 'account.deleted', subject: 'user', details: [] },
  'namespace.create': { event: 'namespace.created', details: [] },
  'namespace.delete': { event: 'namespace.deleted', details: [] },
  'namespace.hand-over': { event: 'namespace.handed-over', subject: 'user', details: [] },
  'webhook.pause': { event: 'webhook.paused', subject: 'webhook', details: ['host', 'reason'] },
};

/**
 * Returns the event that reports a change to operators, and its data; null for changes that are not reported to them.
 */
export function serviceEventOf({ action, namespace, actor, target, details }: ServiceChange): {
  event: ServiceEvent;
  data: Record<string, unknown>;
} | null {
  const shape = SERVICE_EVENTS[action];
  if (!shape) return null;
  const sent = shape.details.filter((name) => details[name] !== undefined);
  return {
    event: shape.event,
    data: {
      ...(namespace && { namespace: namespace.slug }),
      ...(shape.subject && { [shape.subject]: target ?? null }),
      ...Object.fromEntries(sent.map((name) => [name, details[name]])),
      actor,
    },
  };
}
