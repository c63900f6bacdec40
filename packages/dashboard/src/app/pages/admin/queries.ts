import { routes } from '@bindery/contract/wire';
import { queryOptions } from '@tanstack/react-query';
import { queries, service } from '../../session.ts';

export const userQuery = (userName: string) =>
  queryOptions({
    queryKey: ['admin', 'user', userName],
    queryFn: ({ signal }) => service.call(routes.admin.getUser, { params: { userName }, signal }),
  });

export const inspectedNamespaceQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['admin', 'namespace', namespace],
    queryFn: ({ signal }) => service.call(routes.admin.inspectNamespace, { params: { namespace }, signal }),
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
