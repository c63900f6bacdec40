import type { AuditAction, AuditEntry, AuditPage, AuditQuery, AuditVia } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Actor, RequestOrigin } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { cursorPage, firstSortableId, sortableId } from '../database/queries.ts';
import type { AuditLogTable, Database } from '../database/schema.ts';
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

/** A visitor of the service's own pages, signed in or about to sign in. */
export function visitor(userName: string | null, origin: RequestOrigin | null): AuditActor {
  return { userName, via: 'page', origin };
}

const VIA = { browser: 'dashboard', service: 'login', personal: 'token' } as const;

export function actorOf(actor: Actor): AuditActor {
  if (actor.kind === 'machine') return { userName: null, via: 'machine', origin: null };
  const origin = actor.origin ?? null;
  if (actor.kind === 'anonymous') return { userName: null, via: 'page', origin };
  const isPass = actor.token.kind === 'personal' && actor.token.passFor !== undefined;
  return { userName: actor.userName, via: isPass ? 'watch' : VIA[actor.token.kind], origin };
}

/** Returns a page of the log, newest first; `namespaceId` limits it to what the owners of that namespace can read. */
export async function auditPage(
  { db }: DatabaseContext,
  { first, after, user, action, namespace, since, until }: AuditQuery,
  namespaceId?: string,
): Promise<AuditPage> {
  let lines = db.selectFrom('audit_log').selectAll();
  if (namespaceId !== undefined) lines = lines.where('namespace_id', '=', namespaceId);
  if (namespace !== undefined) lines = lines.where('namespace', '=', namespace);
  if (user !== undefined) lines = lines.where('actor', '=', user);
  if (action !== undefined) lines = lines.where('action', '=', action);
  if (after !== undefined) lines = lines.where('id', '<', after);
  if (since !== undefined) lines = lines.where('id', '>=', firstSortableId(Date.parse(since)));
  if (until !== undefined) lines = lines.where('id', '<', firstSortableId(Date.parse(until)));
  const found = await lines
    .orderBy('id', 'desc')
    .limit(first + 1)
    .execute();
  const { rows, pageInfo } = cursorPage(found, first);
  return { entries: rows.map(describeEntry), pageInfo };
}

function describeEntry(line: Selectable<AuditLogTable>): AuditEntry {
  const { id, at, action, actor, via, namespace, target, details, address, user_agent: userAgent } = line;
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    actor,
    via,
    namespace,
    target,
    details: JSON.parse(details),
    address,
    userAgent,
  };
}
