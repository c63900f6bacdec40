import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queries, service } from '../../session.ts';

/** Milliseconds after which what is being sent is looked at again. */
const REFRESH = 3_000;

export const webhooksQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['webhooks', namespace],
    queryFn: ({ signal }) => service.call(routes.webhooks.listWebhooks, { params: { namespace }, signal }),
  });

/** Deliveries, newest first; asked again while one waits. */
export const deliveriesQuery = (namespace: string, webhookId: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', namespace, webhookId, 'deliveries'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      service.call(routes.webhooks.listDeliveries, {
        params: { namespace, webhookId },
        query: { first: '20', ...(pageParam && { after: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: ({ state }) => {
      const isWaiting = state.data?.pages[0]?.deliveries.some((one) => one.state === 'pending');
      return isWaiting ? REFRESH : false;
    },
  });

export const refreshWebhooks = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
