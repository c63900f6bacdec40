import type { AdministeredNamespace, QuotaLimits } from '@bindery/contract';
import { lockNamespace } from '../access/lock-rights.ts';
import { loadOperator, lockOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import { type AuditActor, actorOf, MACHINE, recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { type MeasuringContext, measureNamespace } from '../libraries/quotas/measure.ts';
import { quotaOf } from '../libraries/quotas/quota.ts';
import type { NamespaceAddress } from '../namespaces/namespaces.ts';
import { describeOne, findNamespace } from './namespaces.ts';

/** A change to a quota: omitted limits stay the same, null removes a limit. */
export type QuotaChange = { [Amount in keyof QuotaLimits]?: QuotaLimits[Amount] | undefined };

/** Limits what a namespace can hold. Nothing is deleted if it already holds more. */
export async function changeQuota(
  context: MeasuringContext & DatabaseContext,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
  readInput: () => QuotaChange,
): Promise<AdministeredNamespace> {
  await loadOperator(context.db, viewer);
  const change = readInput();
  await context.db.transaction().execute(async (trx) => {
    await lockOperator(trx, viewer);
    await writeQuota(trx, slug, change, { actor: actorOf(viewer), now: context.clock() });
  });
  return describeMeasured(context, slug);
}

/** The command-line counterpart of `changeQuota`, directly in the database; without a change, it only measures. */
export async function setQuota(
  context: MeasuringContext & DatabaseContext,
  slug: string,
  change: QuotaChange = {},
): Promise<AdministeredNamespace> {
  if (Object.keys(definedOf(change)).length > 0) {
    const by = { actor: MACHINE, now: context.clock() };
    await context.db.transaction().execute((trx) => writeQuota(trx, slug, change, by));
  }
  return describeMeasured(context, slug);
}

async function writeQuota(
  trx: Database,
  slug: string,
  change: QuotaChange,
  { actor, now }: { actor: AuditActor; now: number },
): Promise<void> {
  await lockNamespace(trx, slug);
  const row = await findNamespace(trx, slug);
  const { libraries, files, bytes } = { ...NO_QUOTA, ...quotaOf(row), ...definedOf(change) };
  await trx
    .updateTable('namespaces')
    .set({ quota_libraries: libraries, quota_files: files, quota_bytes: bytes })
    .where('id', '=', row.id)
    .execute();
  const details = { libraries, files, bytes };
  await recordAudit(trx, now, actor, { action: 'namespace.quota', namespace: row, details });
}

const NO_QUOTA: QuotaLimits = { libraries: null, files: null, bytes: null };

function definedOf(change: QuotaChange): Partial<QuotaLimits> {
  return Object.fromEntries(Object.entries(change).filter(([, limit]) => limit !== undefined));
}

async function describeMeasured(context: MeasuringContext, slug: string): Promise<AdministeredNamespace> {
  const row = await findNamespace(context.db, slug);
  if (quotaOf(row) !== null) await measureNamespace(context, row.id);
  return describeOne(context.db, row);
}
