import type { WebhookDeliveryPage } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queries, service } from '../../session.ts';

/** Milliseconds between refreshes while a delivery is pending. */
const REFRESH = 3_000;

export const webhooksQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['webhooks', namespace],
    queryFn: ({ signal }) => service.call(routes.webhooks.listWebhooks, { params: { namespace }, signal }),
  });

/** How a webhook's deliveries are read and sent again: as an owner of its namespace, or as an operator. */
export interface DeliverySource {
  /** Identifies the webhook in the query cache. */
  key: readonly string[];
  read(query: { first: string; after?: string }, signal: AbortSignal): Promise<WebhookDeliveryPage>;
  redeliver(deliveryId: string): Promise<unknown>;
}

export const ownDeliveries = (namespace: string, webhookId: string): DeliverySource => {
  const params = { namespace, webhookId };
  return {
    key: [namespace, webhookId],
    read: (query, signal) => service.call(routes.webhooks.listDeliveries, { params, query, signal }),
    redeliver: (deliveryId) => service.call(routes.webhooks.redeliver, { params: { ...params, deliveryId } }),
  };
};

/** Deliveries, newest first; refreshed while one is pending. */
export const deliveriesQuery = ({ key, read }: DeliverySource) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', ...key, 'deliveries'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => read({ first: '20', ...(pageParam && { after: pageParam }) }, signal),
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: ({ state }) => {
      const isWaiting = state.data?.pages[0]?.deliveries.some((one) => one.state === 'pending');
      return isWaiting ? REFRESH : false;
    },
  });

export const refreshWebhooks = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
