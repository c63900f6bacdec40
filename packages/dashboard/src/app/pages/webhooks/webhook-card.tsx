import type { AdministeredWebhook, Webhook, WebhookDelivery, WebhookDeliveryPage } from '@bindery/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dotted, formatTime } from '../../format.ts';
import { webhooksMessages as text } from '../../messages/webhooks.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Fold } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/pager.tsx';
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
  const isPaused = state === 'paused';
  const action = isPaused ? text.resume : text.pause;
  return (
    <section className="card" aria-label={name}>
      <div>
        {heading}
        <p className="detail">
          {dotted(text.states[state], events === null ? text.all : events.join(', '), counts)}
        </p>
        {serviceEvents && <p className="detail">{text.ofService}</p>}
        {pauseReason !== null && <p className="alert">{pauseReason}</p>}
      </div>
      <div className="actions">
        <ActionButton label={action} name={text.of(action, name)} run={() => access.pause(!isPaused)} />
        {children}
      </div>
      {below}
      {isFolded ? (
        <Fold summary={text.deliveries} label={text.of(text.deliveries, name)}>
          <Deliveries access={access} />
        </Fold>
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
      {data && deliveries.length === 0 && <p className="detail">{text.noDeliveries}</p>}
      <ul className="list">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} access={access} delivery={delivery} />
        ))}
      </ul>
      <OlderButton query={query} label={text.older} />
    </div>
  );
}

function Delivery({ access, delivery }: { access: WebhookAccess; delivery: WebhookDelivery }) {
  const { id, event, createdAt, state, attempts, payload, lastError, lastStatus, nextAttemptAt } = delivery;
  const time = formatTime(createdAt);
  return (
    <li>
      <div className="wide">
        <strong>{event}</strong>{' '}
        <span className="detail">
          {dotted(
            time,
            text.deliveryStates[state],
            attempts > 0 && text.attempts(attempts),
            lastError ?? (lastStatus !== null && text.answered(lastStatus)),
            nextAttemptAt !== null && attempts > 0 && text.next(formatTime(nextAttemptAt)),
          )}
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
        run={() => access.redeliver(id)}
      />
    </li>
  );
}
