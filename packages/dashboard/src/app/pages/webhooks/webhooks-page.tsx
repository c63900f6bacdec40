import type { Webhook } from '@bindery/contract';
import { routes, WEBHOOK_EVENTS, type WebhookEvent } from '@bindery/contract/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { webhooksMessages as text } from '../../messages/webhooks.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { ShownOnce } from '../../parts/copyable.tsx';
import { ActionForm, Field, SelectField, useFields } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { change, queryOf, service } from '../../session.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { type WebhookAccess, WebhookCard } from './webhook-card.tsx';
import styles from './webhooks.module.css';

const route = getRouteApi('/$namespace/-/webhooks');

const webhooksQuery = (namespace: string) =>
  queryOf(['webhooks', namespace], routes.webhooks.listWebhooks, { params: { namespace } });

/** The webhooks of a namespace and their deliveries, for its owners. */
export function WebhooksPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(webhooksQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <NamespaceFrame namespace={namespace} title={text.title} detail={text.detail}>
      {data?.webhooks.map((webhook) => (
        <OwnWebhook key={webhook.id} namespace={namespace} webhook={webhook} />
      ))}
      {data && (
        <section className="card">
          {data.webhooks.length === 0 && <p className="detail">{text.none}</p>}
          <NewWebhook namespace={namespace} />
        </section>
      )}
    </NamespaceFrame>
  );
}

function OwnWebhook({ namespace, webhook }: { namespace: string; webhook: Webhook }) {
  const { id, url } = webhook;
  const params = { namespace, webhookId: id };
  const rotate = useMutation({
    mutationFn: () => service.call(routes.webhooks.rotateWebhookSecret, { params }),
  });
  const access: WebhookAccess = {
    key: [namespace, id],
    pause: (paused) => change(routes.webhooks.patchWebhook, { params, body: { paused } }, ['webhooks']),
    read: (query, signal) => service.call(routes.webhooks.listDeliveries, { params, query, signal }),
    redeliver: (deliveryId) =>
      change(routes.webhooks.redeliver, { params: { ...params, deliveryId } }, ['webhooks']),
  };
  return (
    <WebhookCard
      webhook={webhook}
      access={access}
      name={url}
      heading={<h2>{url}</h2>}
      below={rotate.data && <Secret secret={rotate.data.secret} url={url} />}
    >
      <ActionButton
        label={text.ping}
        name={text.of(text.ping, url)}
        run={() => change(routes.webhooks.pingWebhook, { params }, ['webhooks'])}
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
        action={() => change(routes.webhooks.deleteWebhook, { params }, ['webhooks'])}
      />
    </WebhookCard>
  );
}

/** Adds a webhook and shows its secret. */
function NewWebhook({ namespace }: { namespace: string }) {
  const [{ url, which }, field, set] = useFields({ url: '', which: 'all' as 'all' | 'some' });
  const [events, setEvents] = useState<readonly WebhookEvent[]>([]);
  const body = { url, events: which === 'all' ? null : [...events] };
  const toggle = (event: WebhookEvent, isWanted: boolean) =>
    setEvents(isWanted ? [...events, event] : events.filter((one) => one !== event));
  return (
    <ActionForm
      label={text.add}
      mayRun={which === 'all' || events.length > 0}
      run={() => change(routes.webhooks.createWebhook, { params: { namespace }, body }, ['webhooks'])}
      onDone={() => set({ url: '' })}
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
        {...field('url')}
        placeholder="https://"
        maxLength={2_000}
        required
      />
      <SelectField
        label={text.events}
        {...field('which')}
        options={{ all: text.everything, some: text.some }}
      />
    </ActionForm>
  );
}

function Secret({ secret, url }: { secret: string; url: string }) {
  return <ShownOnce text={text.once} value={secret} label={text.secretOf(url)} />;
}
