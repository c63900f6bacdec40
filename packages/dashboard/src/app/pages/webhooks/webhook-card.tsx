import type { AdministeredWebhook, Webhook, WebhookDelivery, WebhookDeliveryPage } from '@bindery/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatTime } from '../../format.ts';
import { webhooksMessages } from '../../messages/webhooks.ts';
import { ActionButton } from '../../parts/actions.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/pager.tsx';
import { queries } from '../../session.ts';
import styles from './webhooks.module.css';

/** Milliseconds between refreshes while a delivery is pending. */
const REFRESH = 3_000;

/** How a webhook is paused, and its deliveries read and sent again: as an owner of its namespace, or as an operator. */
export interface WebhookAccess {
  /** Identifies the webhook in the query cache. */
  key: readonly string[];
  pause(paused: boolean): Promise<unknown>;
  read(query: { first: string; after?: string }, signal: AbortSignal): Promise<WebhookDeliveryPage>;
  redeliver(deliveryId: string): Promise<unknown>;
}

export const refreshWebhooks = () => queries.invalidateQueries({ queryKey: ['webhooks'] });

/** One webhook: its state, its actions, and its deliveries. */
export function WebhookCard({
  webhook: { state, events, serviceEvents, pauseReason },
  access,
  name,
  heading,
  counts,
  isFolded = false,
  children,
  below,
}: {
  webhook: Webhook | AdministeredWebhook;
  access: WebhookAccess;
  /** Tells it from others. */
  name: string;
  heading: ReactNode;
  /** What is waiting and has failed. */
  counts?: string;
  /** Whether its deliveries are shown on request only. */
  isFolded?: boolean;
  /** Further actions. */
  children: ReactNode;
  below?: ReactNode;
}) {
  const text = webhooksMessages;
  const [isOpen, setOpen] = useState(false);
  const isPaused = state === 'paused';
  const action = isPaused ? text.resume : text.pause;
  const told = [text.states[state], events === null ? text.all : events.join(', '), counts];
  return (
    <section className={form.card} aria-label={name}>
      <div>
        {heading}
        <p className={form.soft}>{told.filter((part) => part !== undefined).join(' · ')}</p>
        {serviceEvents && <p className={form.soft}>{text.ofService}</p>}
        {pauseReason !== null && <p className={form.alert}>{pauseReason}</p>}
      </div>
      <div className={form.actions}>
        <ActionButton
          label={action}
          name={text.of(action, name)}
          run={async () => {
            await access.pause(!isPaused);
            await refreshWebhooks();
          }}
        />
        {children}
      </div>
      {below}
      {isFolded ? (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary aria-label={text.of(text.deliveries, name)}>{text.deliveries}</summary>
          {isOpen && <Deliveries access={access} />}
        </details>
      ) : (
        <div>
          <h3>{text.deliveries}</h3>
          <Deliveries access={access} />
        </div>
      )}
    </section>
  );
}

/** The deliveries of a webhook, sent and pending, newest first; refreshed while one is pending. */
function Deliveries({ access }: { access: WebhookAccess }) {
  const text = webhooksMessages;
  const query = useInfiniteQuery({
    queryKey: ['webhooks', ...access.key, 'deliveries'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      access.read({ first: '20', ...(pageParam && { after: pageParam }) }, signal),
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchInterval: ({ state }) => {
      const isWaiting = state.data?.pages[0]?.deliveries.some((one) => one.state === 'pending');
      return isWaiting ? REFRESH : false;
    },
  });
  const { data, error } = query;
  const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <div>
      <InlineError error={error} />
      {data && deliveries.length === 0 && <p className={form.soft}>{text.noDeliveries}</p>}
      <ul className={form.list}>
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} access={access} delivery={delivery} />
        ))}
      </ul>
      <OlderButton query={query} label={text.older} />
    </div>
  );
}

function Delivery({ access, delivery }: { access: WebhookAccess; delivery: WebhookDelivery }) {
  const text = webhooksMessages;
  const { id, event, createdAt, state, attempts, payload } = delivery;
  const time = formatTime(createdAt);
  return (
    <li>
      <div className={styles.delivery}>
        <strong>{event}</strong>{' '}
        <span className={form.soft}>
          {time} · {text.deliveryStates[state]}
          {attempts > 0 && ` · ${text.attempts(attempts)}`}
          {outcomeOf(delivery)}
        </span>
        <details>
          <summary aria-label={text.payloadOf(event, time)}>{text.payload}</summary>
          <pre className={styles.payload}>{JSON.stringify(payload, null, 2)}</pre>
        </details>
      </div>
      <ActionButton
        label={text.redeliver}
        name={text.redeliverOf(event, time)}
        isDisabled={state === 'pending'}
        run={async () => {
          await access.redeliver(id);
          await refreshWebhooks();
        }}
      />
    </li>
  );
}

function outcomeOf({ lastError, lastStatus, nextAttemptAt, attempts }: WebhookDelivery): string {
  const text = webhooksMessages;
  const last = lastError ?? (lastStatus === null ? null : text.answered(lastStatus));
  const next = nextAttemptAt !== null && attempts > 0 ? text.next(formatTime(nextAttemptAt)) : null;
  return [last, next]
    .filter((part) => part !== null)
    .map((part) => ` · ${part}`)
    .join('');
}
