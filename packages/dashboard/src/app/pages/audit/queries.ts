import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { service } from '../../session.ts';
import { type AuditSearch, auditQueryOf } from './audit-search.ts';

const LINES = 50;

/** The audit log, newest first: of one namespace for its owners, or if that is null, of everything for operators. */
export const auditLogQuery = (namespace: string | null, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', namespace, search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = { ...auditQueryOf(search), first: LINES, ...(pageParam && { after: pageParam }) };
      if (namespace === null) return service.call(routes.admin.readAudit, { query, signal });
      return service.call(routes.namespaces.readNamespaceAudit, { params: { namespace }, query, signal });
    },
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
