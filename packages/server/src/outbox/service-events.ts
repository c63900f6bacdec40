import type { AuditAction, ServiceEvent } from '@bindery/contract';
import type { Details } from './events.ts';

/** A change anywhere in the service, as recorded in the audit log. */
export interface ServiceChange {
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

const EVENTS: Partial<Record<AuditAction, ServiceEventShape>> = {
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
  const shape = EVENTS[action];
  if (!shape) return null;
  const told = shape.details.filter((name) => details[name] !== undefined);
  return {
    event: shape.event,
    data: {
      ...(namespace && { namespace: namespace.slug }),
      ...(shape.subject && { [shape.subject]: target ?? null }),
      ...Object.fromEntries(told.map((name) => [name, details[name]])),
      actor,
    },
  };
}
