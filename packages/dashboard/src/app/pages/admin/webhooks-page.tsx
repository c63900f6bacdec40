import type { AdministeredWebhook, BodyInputOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { answerOf } from '../../connection.ts';
import { messages } from '../../messages.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { Pager } from '../../parts/pager.tsx';
import { onSingleClick } from '../../parts/single-click.ts';
import { SearchBox } from '../../search/search-box.tsx';
import { queries, service } from '../../session.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import type { DeliverySource } from '../webhooks/queries.ts';
import { AdminFrame } from './admin-frame.tsx';
import { allWebhooksQuery } from './queries.ts';
import { WEBHOOK_STATES, type WebhookListSearch } from './webhook-list-search.ts';

const route = getRouteApi('/-/admin/webhooks');

/** The webhooks of all namespaces: which of them fail, their pending deliveries, and what can be done about it. */
export function AdminWebhooksPage() {
  return (
    <AdminFrame title={messages.webhooks.title}>
      <Webhooks />
    </AdminFrame>
  );
}

function Webhooks() {
  const text = messages.admin.webhooks;
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(allWebhooksQuery(useDeferredValue(list)));
  const { error, refetch } = query;
  const data = answerOf(query);
  const show = ({ page: _, ...search }: WebhookListSearch) =>
    navigate({ search, replace: true, resetScroll: false });
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <>
      <SearchBox
        label={text.search}
        placeholder={text.search}
        value={list.q ?? ''}
        onChange={(q) => {
          const { q: _, ...others } = list;
          return show(q === '' ? others : { ...others, q });
        }}
      />
      <label className={form.field}>
        {text.state}
        <select
          value={list.state ?? ''}
          onChange={(event) => {
            const { state: _, ...others } = list;
            const state = WEBHOOK_STATES.find((one) => one === event.target.value);
            return show(state === undefined ? others : { ...others, state });
          }}
        >
          <option value="">{text.anyState}</option>
          {WEBHOOK_STATES.map((state) => (
            <option key={state} value={state}>
              {messages.webhooks.states[state]}
            </option>
          ))}
        </select>
      </label>
      {data?.total === 0 && <EmptyState title={text.none} />}
      {data?.webhooks.map((webhook) => (
        <WebhookSection key={webhook.id} webhook={webhook} />
      ))}
      {data && (
        <Pager
          page={data.page}
          totalPages={data.totalPages}
          onPage={(page) => navigate({ search: { ...list, page: String(page) } })}
        />
      )}
    </>
  );
}

const deliveriesOf = (webhookId: string): DeliverySource => ({
  key: ['admin', webhookId],
  read: (query, signal) =>
    service.call(routes.adminWebhooks.listAnyDeliveries, { params: { webhookId }, query, signal }),
  redeliver: (deliveryId) =>
    service.call(routes.adminWebhooks.redeliverAny, { params: { webhookId, deliveryId } }),
});

const refresh = () => queries.invalidateQueries({ queryKey: ['webhooks'] });

function WebhookSection({ webhook }: { webhook: AdministeredWebhook }) {
  const text = messages.admin.webhooks;
  const { id, namespace, host, state, events, pauseReason, waiting, failed, serviceEvents } = webhook;
  const [isOpen, setOpen] = useState(false);
  const isPaused = state === 'paused';
  const change = useMutation({
    mutationFn: (body: BodyInputOf<typeof routes.adminWebhooks.changeAnyWebhook>) =>
      service.call(routes.adminWebhooks.changeAnyWebhook, { params: { webhookId: id }, body }),
    onSuccess: refresh,
  });
  const telling = serviceEvents ? text.untell : text.tell;
  const action = isPaused ? messages.webhooks.resume : messages.webhooks.pause;
  return (
    <section className={form.card} aria-label={text.of(namespace, host)}>
      <div>
        <h2>
          <Link to="/-/admin/namespaces/$namespace" params={{ namespace }}>
            {namespace}
          </Link>
        </h2>
        <p>{text.sendsTo(host)}</p>
        <p className={form.soft}>
          {messages.webhooks.states[state]} · {events === null ? messages.webhooks.all : events.join(', ')} ·{' '}
          {text.counts(waiting, failed)}
        </p>
        {pauseReason !== null && <p className={form.alert}>{pauseReason}</p>}
      </div>
      <div className={form.actions}>
        <button
          type="button"
          className={form.quiet}
          disabled={change.isPending}
          onClick={onSingleClick(() => change.mutate({ paused: !isPaused }))}
          aria-label={messages.webhooks.of(action, text.of(namespace, host))}
        >
          {action}
        </button>
        <button
          type="button"
          className={form.quiet}
          disabled={change.isPending}
          onClick={onSingleClick(() => change.mutate({ serviceEvents: !serviceEvents }))}
          aria-label={messages.webhooks.of(telling, text.of(namespace, host))}
        >
          {telling}
        </button>
      </div>
      {serviceEvents && <p className={form.soft}>{messages.webhooks.ofService}</p>}
      <InlineError error={change.error} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={messages.webhooks.of(messages.webhooks.deliveries, text.of(namespace, host))}>
          {messages.webhooks.deliveries}
        </summary>
        {isOpen && <Deliveries source={deliveriesOf(id)} />}
      </details>
    </section>
  );
}
