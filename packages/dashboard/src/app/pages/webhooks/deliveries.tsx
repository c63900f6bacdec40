import type { WebhookDelivery } from '@bindery/contract';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { formatTime } from '../../format.ts';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { onSingleClick } from '../../parts/single-click.ts';
import { type DeliverySource, deliveriesQuery, refreshWebhooks } from './queries.ts';
import styles from './webhooks.module.css';

/** The deliveries of a webhook, sent and pending, newest first. */
export function Deliveries({ source }: { source: DeliverySource }) {
  const text = messages.webhooks;
  const query = useInfiniteQuery(deliveriesQuery(source));
  const { data, error } = query;
  const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <div>
      <InlineError error={error} />
      {data && deliveries.length === 0 && <p className={form.soft}>{text.noDeliveries}</p>}
      <ul className={form.list}>
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} source={source} delivery={delivery} />
        ))}
      </ul>
      <OlderButton query={query} label={text.older} />
    </div>
  );
}

function Delivery({ source, delivery }: { source: DeliverySource; delivery: WebhookDelivery }) {
  const text = messages.webhooks;
  const { id, event, createdAt, state, attempts, payload } = delivery;
  const again = useMutation({
    mutationFn: () => source.redeliver(id),
    onSuccess: refreshWebhooks,
  });
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
      <button
        type="button"
        className={form.quiet}
        disabled={again.isPending || state === 'pending'}
        onClick={onSingleClick(() => again.mutate())}
        aria-label={text.redeliverOf(event, time)}
      >
        {text.redeliver}
      </button>
      <InlineError error={again.error} />
    </li>
  );
}

function outcomeOf({ lastError, lastStatus, nextAttemptAt, attempts }: WebhookDelivery): string {
  const text = messages.webhooks;
  const last = lastError ?? (lastStatus === null ? null : text.answered(lastStatus));
  const next = nextAttemptAt !== null && attempts > 0 ? text.next(formatTime(nextAttemptAt)) : null;
  return [last, next]
    .filter((part) => part !== null)
    .map((part) => ` · ${part}`)
    .join('');
}
