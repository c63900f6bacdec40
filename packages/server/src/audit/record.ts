import type { AuditAction, AuditVia } from '@bindery/contract';
import type { RequestOrigin, Viewer } from '../access/viewer.ts';
import { sortableId } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { serviceEventOf } from '../outbox/events.ts';
import { queueEvent, queueServiceEvent } from '../outbox/queue-event.ts';

/** What was done. Must not contain secrets. */
interface NewAuditEntry {
  action: AuditAction;
  /** The namespace whose owners can read the line. */
  namespace?: { id: string; slug: string } | null;
  /** What was changed, named as in its address. */
  target?: string;
  details?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/**
 * Writes a line in the same transaction as the change that it records, and queues the event for the namespace's
 * webhooks and for those that operators chose, so that either all of it happens or nothing.
 */
export async function recordAudit(
  trx: Database,
  now: number,
  { userName, via, origin }: AuditActor,
  { action, namespace = null, target, details = {} }: NewAuditEntry,
): Promise<void> {
  const id = sortableId(now);
  await trx
    .insertInto('audit_log')
    .values({
      id,
      at: now,
      action,
      actor: userName,
      via,
      namespace_id: namespace?.id ?? null,
      namespace: namespace?.slug ?? null,
      target: target ?? null,
      details: JSON.stringify(details),
      address: origin?.address ?? null,
      user_agent: origin?.userAgent ?? null,
    })
    .execute();
  const change = { action, actor: userName, target, details };
  if (namespace !== null) await queueEvent(trx, now, id, { ...change, namespace });
  const told = serviceEventOf({ ...change, namespace });
  if (told) await queueServiceEvent(trx, now, told);
}

/** Who makes a change, as recorded in the audit log. */
export interface AuditActor {
  userName: string | null;
  via: AuditVia;
  origin: RequestOrigin | null;
}

/** The operator on the service's own machine. */
export const MACHINE: AuditActor = { userName: null, via: 'machine', origin: null };

/** A visitor of the service's own pages, signed in or about to sign in. */
export function visitor(userName: string | null, origin: RequestOrigin | null): AuditActor {
  return { userName, via: 'page', origin };
}

const VIA = { browser: 'dashboard', service: 'login', personal: 'token' } as const;

export function actorOf(viewer: Viewer): AuditActor {
  const origin = viewer.origin ?? null;
  if (viewer.kind === 'anonymous') return { userName: null, via: 'page', origin };
  return { userName: viewer.userName, via: VIA[viewer.token.kind], origin };
}
