import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import styles from '../home.module.css';
import { NamespaceHeading } from '../namespace/namespace-frame.tsx';
import { AuditLog } from './audit-log.tsx';

const route = getRouteApi('/$namespace/-/audit');

/** The audit log of a namespace, for its owners. */
export function NamespaceAuditPage() {
  const { namespace } = route.useParams();
  const navigate = route.useNavigate();
  const text = messages.audit;
  return (
    <div className={styles.page}>
      <AuditLog
        key={namespace}
        namespace={namespace}
        search={route.useSearch()}
        onSearch={(search) => navigate({ search })}
        heading={<NamespaceHeading namespace={namespace} title={text.title} detail={text.detail} />}
      />
    </div>
  );
}
