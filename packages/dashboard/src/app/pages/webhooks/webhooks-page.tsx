import type { Webhook } from '@bindery/contract';
import { routes, WEBHOOK_EVENTS, type WebhookEvent } from '@bindery/contract/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { webhooksMessages } from '../../messages/webhooks.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, Field, SelectField } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { queryOf, service } from '../../session.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { refreshWebhooks, type WebhookAccess, WebhookCard } from './webhook-card.tsx';
import styles from './webhooks.module.css';

const route = getRouteApi('/$namespace/-/webhooks');

const webhooksQuery = (namespace: string) =>
  queryOf(['webhooks', namespace], routes.webhooks.listWebhooks, { params: { namespace } });

/** The webhooks of a namespace and their deliveries, for its owners. */
export function WebhooksPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(webhooksQuery(namespace));
  const text = webhooksMessages;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <NamespaceFrame namespace={namespace} title={text.title} detail={text.detail}>
      {data?.webhooks.map((webhook) => (
        <OwnWebhook key={webhook.id} namespace={namespace} webhook={webhook} />
      ))}
      {data && (
        <section className={form.card}>
          {data.webhooks.length === 0 && <p className={form.soft}>{text.none}</p>}
          <NewWebhook namespace={namespace} />
        </section>
      )}
    </NamespaceFrame>
  );
}

function OwnWebhook({ namespace, webhook }: { namespace: string; webhook: Webhook }) {
  const text = webhooksMessages;
  const { id, url } = webhook;
  const params = { namespace, webhookId: id };
  const rotate = useMutation({
    mutationFn: () => service.call(routes.webhooks.rotateWebhookSecret, { params }),
  });
  const access: WebhookAccess = {
    key: [namespace, id],
    pause: (paused) => service.call(routes.webhooks.patchWebhook, { params, body: { paused } }),
    read: (query, signal) => service.call(routes.webhooks.listDeliveries, { params, query, signal }),
    redeliver: (deliveryId) => service.call(routes.webhooks.redeliver, { params: { ...params, deliveryId } }),
  };
  return (
    <WebhookCard
      webhook={webhook}
      access={access}
      name={url}
      heading={<h2 className={styles.url}>{url}</h2>}
      below={rotate.data && <Secret secret={rotate.data.secret} url={url} />}
    >
      <ActionButton
        label={text.ping}
        name={text.of(text.ping, url)}
        run={async () => {
          await service.call(routes.webhooks.pingWebhook, { params });
          await refreshWebhooks();
        }}
      />
      <Confirm
        label={text.rotate}
        name={text.of(text.rotate, url)}
        title={text.rotateTitle}
        detail={text.rotateDetail}
        isReversible
        action={() => rotate.mutateAsync()}
      />
      <Confirm
        label={text.remove}
        name={text.of(text.remove, url)}
        title={text.removeTitle(url)}
        detail={text.removeDetail}
        action={async () => {
          await service.call(routes.webhooks.deleteWebhook, { params });
          await refreshWebhooks();
        }}
      />
    </WebhookCard>
  );
}

/** The secret of a webhook, which is shown once. */
function Secret({ secret, url }: { secret: string; url: string }) {
  const text = webhooksMessages;
  return (
    <div className={form.done} role="status">
      <p>{text.once}</p>
      <Copyable text={secret} label={text.secretOf(url)} />
    </div>
  );
}

/** Adds a webhook and shows its secret. */
function NewWebhook({ namespace }: { namespace: string }) {
  const text = webhooksMessages;
  const [url, setUrl] = useState('');
  const [which, setWhich] = useState<'all' | 'some'>('all');
  const [events, setEvents] = useState<readonly WebhookEvent[]>([]);
  const run = async () => {
    const made = await service.call(routes.webhooks.createWebhook, {
      params: { namespace },
      body: { url, events: which === 'all' ? null : [...events] },
    });
    setUrl('');
    await refreshWebhooks();
    return made;
  };
  const toggle = (event: WebhookEvent, isWanted: boolean) =>
    setEvents(isWanted ? [...events, event] : events.filter((one) => one !== event));
  return (
    <ActionForm
      label={text.add}
      mayRun={which === 'all' || events.length > 0}
      run={run}
      more={
        which === 'some' && (
          <fieldset className={styles.events}>
            <legend>{text.some}</legend>
            {WEBHOOK_EVENTS.map((event) => (
              <label key={event}>
                <input
                  type="checkbox"
                  checked={events.includes(event)}
                  onChange={(change) => toggle(event, change.target.checked)}
                />{' '}
                {event}
              </label>
            ))}
          </fieldset>
        )
      }
      done={(made) => <Secret {...made} />}
    >
      <Field
        type="url"
        isWide
        label={text.url}
        value={url}
        onChange={setUrl}
        placeholder="https://"
        maxLength={2_000}
        required
      />
      <SelectField
        label={text.events}
        value={which}
        options={{ all: text.everything, some: text.some }}
        onChange={setWhich}
      />
    </ActionForm>
  );
}
