import type { Selectable } from 'kysely';
import type { Database, WebhooksTable } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { lockMembership, lockNamespace } from './lock-rights.ts';
import { loadNamespaceForOwner, loadNamespaceForReadingOwner, type NamespaceRow } from './namespaces.ts';
import type { Viewer } from './viewer.ts';

export type WebhookRow = Selectable<WebhooksTable>;

/** A webhook as addressed by a client. */
export interface WebhookAddress {
  namespace: string;
  webhookId: string;
}

/** A webhook and its namespace. */
export interface OwnWebhook {
  row: WebhookRow;
  namespace: NamespaceRow;
}

/**
 * Loads the webhook for an owner of its namespace. Throws 401, 404, then 403, then 404 if the webhook does not exist.
 */
export async function loadWebhookForReading(
  db: Database,
  viewer: Viewer,
  { namespace: slug, webhookId }: WebhookAddress,
): Promise<OwnWebhook> {
  const { row: namespace } = await loadNamespaceForReadingOwner(db, viewer, slug);
  return findWebhook(db, namespace, webhookId);
}

/** Like `loadWebhookForReading`, for a change. */
export async function loadWebhookForWrite(
  db: Database,
  viewer: Viewer,
  { namespace: slug, webhookId }: WebhookAddress,
): Promise<OwnWebhook> {
  const { row: namespace } = await loadNamespaceForOwner(db, viewer, slug);
  return findWebhook(db, namespace, webhookId);
}

/** Like `loadWebhookForWrite`, but locks the rows that give the right until the transaction ends. */
export async function lockWebhookForWrite(
  trx: Database,
  viewer: Viewer,
  { namespace: slug, webhookId }: WebhookAddress,
): Promise<OwnWebhook> {
  const namespace = await lockNamespaceForOwner(trx, viewer, slug);
  return findWebhook(trx, namespace, webhookId);
}

/**
 * Loads the namespace for a change to its webhooks, and locks it until the transaction ends, which serialises changes
 * by its owners.
 */
export async function lockNamespaceForOwner(
  trx: Database,
  viewer: Viewer,
  slug: string,
): Promise<NamespaceRow> {
  await lockNamespace(trx, slug);
  await lockMembership(trx, viewer, slug);
  return (await loadNamespaceForOwner(trx, viewer, slug)).row;
}

async function findWebhook(db: Database, namespace: NamespaceRow, id: string): Promise<OwnWebhook> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('namespace_id', '=', namespace.id)
    .executeTakeFirst();
  if (!row) throw notFound();
  return { row, namespace };
}
