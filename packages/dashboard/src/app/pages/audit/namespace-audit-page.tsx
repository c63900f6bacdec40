import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import styles from '../home.module.css';
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
        heading={
          <div>
            <title>{`${text.title} · ${namespace} · ${messages.product}`}</title>
            <Crumbs namespace={namespace} />
            <h1>{text.title}</h1>
            <p className={styles.soft}>{text.detail}</p>
          </div>
        }
      />
    </div>
  );
}
