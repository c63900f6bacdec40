import type {
  AdministeredLibrary,
  AdministeredNamespace,
  AdministeredNamespaceDetail,
  AdministeredNamespacePage,
  NamespaceQuota,
  PageQuery,
  QuotaLimits,
} from '@bindery/contract';
import { lockNamespace } from '../access/lock-rights.ts';
import type { NamespaceRow } from '../access/namespaces.ts';
import { lockOperator, lockRecentOperator } from '../access/operators.ts';
import type { Actor } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { countRows, matchesName, pageOffset, pageSummary } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { invalidParameter, ServiceError } from '../errors.ts';
import { type MeasuringContext, measureNamespace, readUsage } from '../libraries/quotas/measure.ts';
import { quotaOf } from '../libraries/quotas/quota.ts';
import { membershipsIn } from '../namespaces/members.ts';
import type { NamespaceAddress } from '../namespaces/namespaces.ts';
import { makeOwner } from './delete-account.ts';

/** Maximum number of libraries listed individually. */
const MAX_LARGEST = 20;

/** Returns a page of the namespaces whose slug or name contains the search text, ordered by slug. */
export async function namespacesPage(
  { db }: DatabaseContext,
  { search, ...page }: PageQuery,
): Promise<AdministeredNamespacePage> {
  const found = db
    .selectFrom('namespaces')
    .where(({ or }) => or([matchesName('slug', search), matchesName('display_name', search)]));
  const rows = await found
    .selectAll()
    .orderBy('slug')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { namespaces: await describeAll(db, rows), ...pageSummary(page, await countRows(found)) };
}

export async function inspectNamespace(
  { db }: DatabaseContext,
  { namespace: slug }: NamespaceAddress,
): Promise<AdministeredNamespaceDetail> {
  const row = await findNamespace(db, slug);
  return {
    ...(await describeOne(db, row)),
    memberships: await membershipsIn(db, row.id),
    largest: await largestLibraries(db, row.id),
  };
}

/**
 * Makes an account an owner; existing members stay. Throws `not_found` for the namespace, `invalid_parameter` for the
 * account.
 */
export async function handOverNamespace(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { namespace: slug }: NamespaceAddress,
  { to }: { to: string },
): Promise<AdministeredNamespace> {
  return db.transaction().execute(async (trx) => {
    const now = clock();
    await lockRecentOperator(trx, actor, now, 'Namespaces can only be handed over');
    await lockNamespace(trx, slug);
    const row = await findNamespace(trx, slug);
    const owner = await trx
      .selectFrom('accounts')
      .select('id')
      .where('user_name', '=', to)
      .where('disabled_at', 'is', null)
      .executeTakeFirst();
    if (!owner) throw invalidParameter('to', `to: an account that is not disabled (received "${to}").`);
    await makeOwner(trx, row.id, owner.id);
    await recordAudit(trx, now, actorOf(actor), {
      action: 'namespace.hand-over',
      namespace: row,
      target: to,
    });
    return describeOne(trx, row);
  });
}

/** A change to a quota: omitted limits stay the same, null removes a limit. */
export type QuotaChange = { [Amount in keyof QuotaLimits]?: QuotaLimits[Amount] | undefined };

/**
 * Limits what a namespace can hold; nothing is deleted if it already holds more. Without a change, only measures what it
 * holds.
 */
export async function changeQuota(
  context: MeasuringContext & DatabaseContext,
  actor: Actor,
  { namespace: slug }: NamespaceAddress,
  change: QuotaChange,
): Promise<AdministeredNamespace> {
  const { db, clock } = context;
  const changed = definedOf(change);
  if (Object.keys(changed).length > 0) {
    await db.transaction().execute(async (trx) => {
      await lockOperator(trx, actor);
      await lockNamespace(trx, slug);
      const row = await findNamespace(trx, slug);
      const { libraries, files, bytes } = { ...NO_QUOTA, ...quotaOf(row), ...changed };
      await trx
        .updateTable('namespaces')
        .set({ quota_libraries: libraries, quota_files: files, quota_bytes: bytes })
        .where('id', '=', row.id)
        .execute();
      const details = { libraries, files, bytes };
      await recordAudit(trx, clock(), actorOf(actor), { action: 'namespace.quota', namespace: row, details });
    });
  }
  const row = await findNamespace(db, slug);
  if (quotaOf(row) !== null) await measureNamespace(context, row.id);
  return describeOne(db, row);
}

const NO_QUOTA: QuotaLimits = { libraries: null, files: null, bytes: null };

function definedOf(change: QuotaChange): Partial<QuotaLimits> {
  return Object.fromEntries(Object.entries(change).filter(([, limit]) => limit !== undefined));
}

/** Returns the largest libraries, including those in the Trash, of one namespace or of all. */
export async function largestLibraries(db: Database, namespaceId?: string): Promise<AdministeredLibrary[]> {
  const rows = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .$if(namespaceId !== undefined, (query) => query.where('namespace_id', '=', namespaceId ?? ''))
    .select([
      'namespaces.slug',
      'libraries.name',
      'libraries.visibility',
      'libraries.state',
      'libraries.file_count',
      'libraries.total_bytes',
      'libraries.updated_at',
    ])
    .orderBy('libraries.total_bytes', 'desc')
    .orderBy('namespaces.slug')
    .orderBy('libraries.name')
    .limit(MAX_LARGEST)
    .execute();
  return rows.map((row) => ({
    namespace: row.slug,
    name: row.name,
    visibility: row.visibility,
    isInTrash: row.state === 'deleted',
    files: row.file_count,
    bytes: row.total_bytes,
    updatedAt: new Date(row.updated_at).toISOString(),
  }));
}

async function findNamespace(db: Database, slug: string): Promise<NamespaceRow> {
  const row = await db.selectFrom('namespaces').selectAll().where('slug', '=', slug).executeTakeFirst();
  if (row) return row;
  throw new ServiceError('not_found', `There is no namespace "${slug}".`);
}

async function describeOne(db: Database, row: NamespaceRow): Promise<AdministeredNamespace> {
  const [described] = await describeAll(db, [row]);
  if (!described) throw new Error('one row gives one description');
  return described;
}

async function describeAll(db: Database, rows: readonly NamespaceRow[]): Promise<AdministeredNamespace[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const [members, amounts] = await Promise.all([
    db
      .selectFrom('memberships')
      .select(['namespace_id', (eb) => eb.fn.countAll<number>().as('members')])
      .where('namespace_id', 'in', ids)
      .groupBy('namespace_id')
      .execute(),
    db
      .selectFrom('libraries')
      .select([
        'namespace_id',
        (eb) => eb.fn.countAll<number>().as('libraries'),
        (eb) => eb.fn.sum<number>('file_count').as('files'),
        (eb) => eb.fn.sum<number>('total_bytes').as('bytes'),
      ])
      .where('namespace_id', 'in', ids)
      .groupBy('namespace_id')
      .execute(),
  ]);
  const membersOf = new Map(members.map((row) => [row.namespace_id, Number(row.members)]));
  const amountsOf = new Map(amounts.map((row) => [row.namespace_id, row]));
  const quotas = await quotasOf(db, rows);
  return rows.map((row) => {
    const amount = amountsOf.get(row.id);
    return {
      slug: row.slug,
      displayName: row.display_name,
      kind: row.kind,
      createdAt: new Date(row.created_at).toISOString(),
      members: membersOf.get(row.id) ?? 0,
      libraries: Number(amount?.libraries ?? 0),
      files: Number(amount?.files ?? 0),
      bytes: Number(amount?.bytes ?? 0),
      ...quotas.get(row.id),
    };
  });
}

/** The quotas of the namespaces that have one, with their measured usage. */
async function quotasOf(
  db: Database,
  rows: readonly NamespaceRow[],
): Promise<Map<string, { quota: NamespaceQuota }>> {
  const quotas = new Map<string, { quota: NamespaceQuota }>();
  for (const row of rows) {
    const limits = quotaOf(row);
    if (limits === null) continue;
    quotas.set(row.id, { quota: { limits, used: await readUsage(db, row.id) } });
  }
  return quotas;
}
