import type { Webhook } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { onSingleClick } from '../../parts/single-click.ts';
import { service } from '../../session.ts';
import { Deliveries } from './deliveries.tsx';
import { ownDeliveries, refreshWebhooks } from './queries.ts';
import styles from './webhooks.module.css';

/** One webhook: its state, its actions, and its deliveries. */
export function WebhookCard({ namespace, webhook }: { namespace: string; webhook: Webhook }) {
  const text = messages.webhooks;
  const { id, url, events, serviceEvents, state, pauseReason } = webhook;
  const params = { namespace, webhookId: id };
  const ping = useMutation({
    mutationFn: () => service.call(routes.webhooks.pingWebhook, { params }),
    onSuccess: refreshWebhooks,
  });
  const pause = useMutation({
    mutationFn: (paused: boolean) => service.call(routes.webhooks.patchWebhook, { params, body: { paused } }),
    onSuccess: refreshWebhooks,
  });
  const rotate = useMutation({
    mutationFn: () => service.call(routes.webhooks.rotateWebhookSecret, { params }),
  });
  const isPaused = state === 'paused';
  return (
    <section className={form.card} aria-label={url}>
      <div>
        <h2 className={styles.url}>{url}</h2>
        <p className={form.soft}>
          {text.states[state]} · {events === null ? text.all : events.join(', ')}
        </p>
        {serviceEvents && <p className={form.soft}>{text.ofService}</p>}
        {pauseReason !== null && <p className={form.alert}>{pauseReason}</p>}
      </div>
      <div className={form.actions}>
        <button
          type="button"
          className={form.quiet}
          disabled={ping.isPending}
          onClick={onSingleClick(() => ping.mutate())}
          aria-label={text.of(text.ping, url)}
        >
          {text.ping}
        </button>
        <button
          type="button"
          className={form.quiet}
          disabled={pause.isPending}
          onClick={onSingleClick(() => pause.mutate(!isPaused))}
          aria-label={text.of(isPaused ? text.resume : text.pause, url)}
        >
          {isPaused ? text.resume : text.pause}
        </button>
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
      </div>
      <InlineError error={ping.error ?? pause.error} />
      {rotate.data && (
        <div className={form.done} role="status">
          <p>{text.once}</p>
          <Copyable text={rotate.data.secret} label={text.secretOf(url)} />
        </div>
      )}
      <div>
        <h3>{text.deliveries}</h3>
        <Deliveries source={ownDeliveries(namespace, id)} />
      </div>
    </section>
  );
}
