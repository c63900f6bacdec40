import { randomBytes } from 'node:crypto';
import type { AuditAction } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import type { AuditActor } from './actor.ts';

/** What was done. Nothing of it may be a secret. */
export interface AuditLine {
  action: AuditAction;
  /** Whose owners may read of it. */
  namespace?: { id: string; slug: string } | null;
  /** What was changed, as its address names it. */
  target?: string;
  details?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/** Writes a line as part of the transaction of what it tells of: both happen, or neither. */
export async function recordAudit(
  trx: Database,
  now: number,
  { userName, via, origin }: AuditActor,
  { action, namespace = null, target, details = {} }: AuditLine,
): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      id: lineId(now),
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
}

let lines = 0;

/** Milliseconds, then the order of one process within them, then chance: 32 hexadecimal digits. */
function lineId(now: number): string {
  lines = (lines + 1) % 0x1_0000;
  return hex(now, 12) + hex(lines, 4) + randomBytes(8).toString('hex');
}

function hex(number: number, digits: number): string {
  return Math.max(0, Math.trunc(number)).toString(16).padStart(digits, '0');
}
