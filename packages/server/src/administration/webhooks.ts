import type {
  AdministeredWebhook,
  AdministeredWebhookPage,
  PageQuery,
  QueryOf,
  routes,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import { lockOperator } from '../access/operators.ts';
import type { Actor } from '../access/viewer.ts';
import type { WebhookRow } from '../access/webhooks.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { countRows, matchesName, pageOffset, pageSummary } from '../database/queries.ts';
import type { Database, Tables } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { deliveriesPage, queueAgain } from '../webhooks/deliveries.ts';
import { describeWebhook } from '../webhooks/manage.ts';

/** A webhook as addressed by an operator, in any namespace. */
interface AdministeredWebhookAddress {
  webhookId: string;
}

type WebhookQuery = PageQuery & { state?: Webhook['state'] | undefined };

/**
 * Returns a page of the webhooks in that state whose namespace's slug contains the search text, ordered by namespace.
 */
export async function webhooksPage(
  { db }: DatabaseContext,
  { search, state, ...page }: WebhookQuery,
): Promise<AdministeredWebhookPage> {
  const found = withNamespaces(db)
    .where(matchesName('namespaces.slug', search))
    .$if(state !== undefined, (query) => query.where((eb) => isIn(eb, state)));
  const rows = await found
    .selectAll('webhooks')
    .select('namespaces.slug')
    .orderBy('namespaces.slug')
    .orderBy('webhooks.created_at')
    .orderBy('webhooks.id')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { webhooks: await describeAll(db, rows), ...pageSummary(page, await countRows(found)) };
}

/** What operators can change of a webhook; omitted fields stay the same. */
interface WebhookChange {
  paused?: boolean | undefined;
  serviceEvents?: boolean | undefined;
}

/**
 * Pauses a webhook so that its owners cannot resume it, or resumes it regardless of who paused it; turns its service
 * events on or off. Throws `not_found`.
 */
export async function administerWebhook(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { webhookId }: AdministeredWebhookAddress,
  { paused, serviceEvents }: WebhookChange,
): Promise<AdministeredWebhook> {
  return db.transaction().execute(async (trx) => {
    await lockOperator(trx, actor);
    const now = clock();
    const row = await findWebhook(trx, webhookId);
    const updated = await trx
      .updateTable('webhooks')
      .set({
        ...(paused === undefined
          ? {}
          : {
              paused_at: paused ? (row.paused_at ?? now) : null,
              pause_reason: paused ? 'An operator of the service paused it.' : null,
              paused_by_operator: Number(paused),
            }),
        // Resuming clears the record of failures.
        ...(paused === false ? { failing_since: null, held_until: 0 } : {}),
        service_events: serviceEvents === undefined ? row.service_events : Number(serviceEvents),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(trx, now, actorOf(actor), {
      action: 'webhook.change',
      namespace: { id: row.namespace_id, slug: row.slug },
      target: row.id,
      details: {
        host: new URL(row.url).host,
        events: row.events?.trim() ?? null,
        paused: updated.paused_at !== null,
        serviceEvents: updated.service_events === 1,
      },
    });
    const [described] = await describeAll(trx, [{ ...updated, slug: row.slug }]);
    if (!described) throw new Error('one row gives one description');
    return described;
  });
}

/** Returns a page of what was sent and is to be sent to a webhook. Throws `not_found`. */
export async function administeredDeliveries(
  context: DatabaseContext,
  { webhookId }: AdministeredWebhookAddress,
  query: QueryOf<typeof routes.adminWebhooks.listAnyDeliveries>,
): Promise<WebhookDeliveryPage> {
  const { id } = await findWebhook(context.db, webhookId);
  return deliveriesPage(context, id, query);
}

/** Sends a delivery again, as if it had not been attempted: a running service does within seconds. Throws `not_found`. */
export async function redeliverAsOperator(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { webhookId, deliveryId }: AdministeredWebhookAddress & { deliveryId: string },
): Promise<WebhookDelivery> {
  return db.transaction().execute(async (trx) => {
    await lockOperator(trx, actor);
    const row = await findWebhook(trx, webhookId);
    const namespace = { id: row.namespace_id, slug: row.slug };
    return queueAgain(trx, { row, namespace }, deliveryId, { actor: actorOf(actor), now: clock() });
  });
}

type RowWithNamespace = WebhookRow & { slug: string };

function withNamespaces(db: Database) {
  return db.selectFrom('webhooks').innerJoin('namespaces', 'namespaces.id', 'webhooks.namespace_id');
}

async function findWebhook(db: Database, id: string): Promise<RowWithNamespace> {
  const row = await withNamespaces(db)
    .selectAll('webhooks')
    .select('namespaces.slug')
    .where('webhooks.id', '=', id)
    .executeTakeFirst();
  if (row) return row;
  throw new ServiceError('not_found', `There is no webhook "${id}".`);
}

/** The state as `describeWebhook` computes it. */
function isIn({ and, eb }: ExpressionBuilder<Tables, 'webhooks'>, state: Webhook['state'] | undefined) {
  if (state === 'paused') return eb('webhooks.paused_at', 'is not', null);
  return and([
    eb('webhooks.paused_at', 'is', null),
    eb('webhooks.failing_since', state === 'failing' ? 'is not' : 'is', null),
  ]);
}

async function describeAll(db: Database, rows: readonly RowWithNamespace[]): Promise<AdministeredWebhook[]> {
  if (rows.length === 0) return [];
  const counts = await db
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [
      'webhook_id',
      fn.countAll<number>().filterWhere('due_at', 'is not', null).as('waiting'),
      fn.countAll<number>().filterWhere('state', '=', 'failed').as('failed'),
    ])
    .where(
      'webhook_id',
      'in',
      rows.map(({ id }) => id),
    )
    .groupBy('webhook_id')
    .execute();
  const countsOf = new Map(counts.map((row) => [row.webhook_id, row]));
  return rows.map((row) => {
    const { url, ...described } = describeWebhook(row);
    return {
      ...described,
      namespace: row.slug,
      host: new URL(url).host,
      waiting: Number(countsOf.get(row.id)?.waiting ?? 0),
      failed: Number(countsOf.get(row.id)?.failed ?? 0),
    };
  });
}
