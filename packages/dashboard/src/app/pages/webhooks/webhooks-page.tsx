import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import styles from '../home.module.css';
import { NewWebhook } from './new-webhook.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhookCard } from './webhook-card.tsx';

const route = getRouteApi('/$namespace/-/webhooks');

/** The webhooks of a namespace and their deliveries, for its owners. */
export function WebhooksPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(webhooksQuery(namespace));
  const text = messages.webhooks;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className={styles.page}>
      <title>{`${text.title} · ${namespace} · ${messages.product}`}</title>
      <div>
        <Crumbs namespace={namespace} />
        <h1>{text.title}</h1>
        <p className={styles.soft}>{text.detail}</p>
      </div>
      {data?.webhooks.map((webhook) => (
        <WebhookCard key={webhook.id} namespace={namespace} webhook={webhook} />
      ))}
      {data && (
        <section className={form.card}>
          {data.webhooks.length === 0 && <p className={form.soft}>{text.none}</p>}
          <NewWebhook namespace={namespace} />
        </section>
      )}
    </div>
  );
}
