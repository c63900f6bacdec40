import { routes } from '@bindery/contract/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queries, service } from '../../session.ts';
import { type ListSearch, pageQueryOf } from '../../url.ts';
import type { WebhookListSearch } from './webhook-list-search.ts';

export const usersQuery = (list: ListSearch) =>
  queryOptions({
    queryKey: ['admin', 'users', list],
    queryFn: ({ signal }) => service.call(routes.admin.listUsers, { query: pageQueryOf(list), signal }),
    placeholderData: keepPreviousData,
  });

export const userQuery = (userName: string) =>
  queryOptions({
    queryKey: ['admin', 'user', userName],
    queryFn: ({ signal }) => service.call(routes.admin.getUser, { params: { userName }, signal }),
  });

export const allNamespacesQuery = (list: ListSearch) =>
  queryOptions({
    queryKey: ['admin', 'namespaces', list],
    queryFn: ({ signal }) =>
      service.call(routes.admin.listAllNamespaces, { query: pageQueryOf(list), signal }),
    placeholderData: keepPreviousData,
  });

export const inspectedNamespaceQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['admin', 'namespace', namespace],
    queryFn: ({ signal }) => service.call(routes.admin.inspectNamespace, { params: { namespace }, signal }),
  });

export const allWebhooksQuery = ({ state, ...list }: WebhookListSearch) =>
  queryOptions({
    queryKey: ['webhooks', 'of all', list, state ?? null],
    queryFn: ({ signal }) =>
      service.call(routes.adminWebhooks.listAllWebhooks, {
        query: { ...pageQueryOf(list), ...(state !== undefined && { state }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: ({ signal }) => service.call(routes.admin.getHealth, { signal }),
});

export const storageQuery = queryOptions({
  queryKey: ['admin', 'storage'],
  queryFn: ({ signal }) => service.call(routes.admin.getStorage, { signal }),
});

export const modelsQuery = queryOptions({
  queryKey: ['admin', 'models'],
  queryFn: ({ signal }) => service.call(routes.admin.getModels, { signal }),
});

export const refreshAdmin = () => queries.invalidateQueries({ queryKey: ['admin'] });
