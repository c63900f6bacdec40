import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { AuditLog } from '../audit/audit-log.tsx';
import { AdminFrame } from './admin-frame.tsx';

const route = getRouteApi('/-/admin/audit');

/** The audit log of the whole service. */
export function AdminAuditPage() {
  return (
    <AdminFrame title={messages.audit.title}>
      <Log />
    </AdminFrame>
  );
}

function Log() {
  const navigate = route.useNavigate();
  return <AuditLog namespace={null} search={route.useSearch()} onSearch={(search) => navigate({ search })} />;
}
