import type {
  AdministeredLibrary,
  AdministeredNamespace,
  AdministeredNamespaceDetail,
  AdministeredNamespacePage,
  NamespaceQuota,
  PageQuery,
} from '@bindery/contract';
import { lockNamespace } from '../access/lock-rights.ts';
import type { NamespaceRow } from '../access/namespaces.ts';
import { loadOperator, lockOperator, requireRecentSignIn } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import { type AuditActor, actorOf, MACHINE, recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesName, pageOffset, pageSummary } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { invalidParameter, ServiceError } from '../errors.ts';
import { readUsage, sumOf } from '../libraries/quotas/measure.ts';
import { quotaOf } from '../libraries/quotas/quota.ts';
import type { NamespaceAddress } from '../namespaces/namespaces.ts';
import { makeOwner } from './delete-account.ts';

/** Maximum number of libraries listed individually. */
const MAX_LARGEST = 20;

export async function listNamespaces(
  { db }: DatabaseContext,
  viewer: Viewer,
  readInput: () => PageQuery,
): Promise<AdministeredNamespacePage> {
  await loadOperator(db, viewer);
  return namespacesPage(db, readInput());
}

/** Returns a page of the namespaces whose slug or name contains the search text, ordered by slug. */
export async function namespacesPage(
  db: Database,
  { search, ...page }: PageQuery,
): Promise<AdministeredNamespacePage> {
  const found = db
    .selectFrom('namespaces')
    .where(({ or }) => or([matchesName('slug', search), matchesName('display_name', search)]));
  const { total } = await found
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .orderBy('slug')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { namespaces: await describeAll(db, rows), ...pageSummary(page, Number(total)) };
}

export async function inspectNamespace(
  { db }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
): Promise<AdministeredNamespaceDetail> {
  await loadOperator(db, viewer);
  const row = await findNamespace(db, slug);
  const memberships = await db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.user_name as userName', 'memberships.role'])
    .where('memberships.namespace_id', '=', row.id)
    .orderBy('accounts.user_name')
    .execute();
  return {
    ...(await describeOne(db, row)),
    memberships,
    largest: await largestLibraries(db, row.id),
  };
}

/**
 * Makes an account an owner; existing members stay. Throws `not_found` for the namespace, `invalid_parameter` for the
 * account.
 */
export async function handOverNamespace(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
  readInput: () => { to: string },
): Promise<AdministeredNamespace> {
  await loadOperator(db, viewer);
  const { to } = readInput();
  return db.transaction().execute(async (trx) => {
    const { token } = await lockOperator(trx, viewer);
    requireRecentSignIn(token, clock(), 'Namespaces can only be handed over');
    return giveTo(trx, slug, to, { actor: actorOf(viewer), now: clock() });
  });
}

/** The command-line counterpart of `handOverNamespace`, directly in the database. */
export async function handOver(
  { db, clock }: DatabaseContext,
  slug: string,
  to: string,
): Promise<AdministeredNamespace> {
  return db.transaction().execute((trx) => giveTo(trx, slug, to, { actor: MACHINE, now: clock() }));
}

async function giveTo(
  trx: Database,
  slug: string,
  to: string,
  { actor, now }: { actor: AuditActor; now: number },
): Promise<AdministeredNamespace> {
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
  await recordAudit(trx, now, actor, { action: 'namespace.hand-over', namespace: row, target: to });
  return describeOne(trx, row);
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

export async function findNamespace(db: Database, slug: string): Promise<NamespaceRow> {
  const row = await db.selectFrom('namespaces').selectAll().where('slug', '=', slug).executeTakeFirst();
  if (row) return row;
  throw new ServiceError('not_found', `There is no namespace "${slug}".`);
}

export async function describeOne(db: Database, row: NamespaceRow): Promise<AdministeredNamespace> {
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
    const { measured, unmeasured } = await readUsage(db, row.id);
    quotas.set(row.id, { quota: { limits, used: unmeasured.length === 0 ? sumOf(measured) : null } });
  }
  return quotas;
}
