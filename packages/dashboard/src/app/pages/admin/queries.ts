import { routes } from '@bindery/contract/wire';

import { queries, queryOf } from '../../session.ts';

export const userQuery = (userName: string) =>
  queryOf(['admin', 'user', userName], routes.admin.getUser, { params: { userName } });

export const inspectedNamespaceQuery = (namespace: string) =>
  queryOf(['admin', 'namespace', namespace], routes.admin.inspectNamespace, { params: { namespace } });

export const healthQuery = queryOf(['admin', 'health'], routes.admin.getHealth, {});

export const storageQuery = queryOf(['admin', 'storage'], routes.admin.getStorage, {});

export const modelsQuery = queryOf(['admin', 'models'], routes.admin.getModels, {});

export const refreshAdmin = () => queries.invalidateQueries({ queryKey: ['admin'] });
