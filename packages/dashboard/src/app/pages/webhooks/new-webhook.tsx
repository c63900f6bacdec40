import { routes, WEBHOOK_EVENTS, type WebhookEvent } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { service } from '../../session.ts';
import { refreshWebhooks } from './queries.ts';
import styles from './webhooks.module.css';

/** Adds a webhook and shows its secret, once. */
export function NewWebhook({ namespace }: { namespace: string }) {
  const text = messages.webhooks;
  const [url, setUrl] = useState('');
  const [isAll, setAll] = useState(true);
  const [events, setEvents] = useState<readonly WebhookEvent[]>([]);
  const add = useMutation({
    mutationFn: () =>
      service.call(routes.webhooks.createWebhook, {
        params: { namespace },
        body: { url, events: isAll ? null : [...events] },
      }),
    onSuccess: async () => {
      setUrl('');
      await refreshWebhooks();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const toggle = (event: WebhookEvent, isWanted: boolean) =>
    setEvents(isWanted ? [...events, event] : events.filter((one) => one !== event));
  return (
    <form className={form.form} onSubmit={submit} onInput={() => add.isError && add.reset()}>
      <div className={form.row}>
        <label className={`${form.field} ${form.wide}`}>
          {text.url}
          <input
            type="url"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            placeholder="https://"
            maxLength={2_000}
            required
            autoComplete="off"
          />
        </label>
        <label className={form.field}>
          {text.events}
          <select value={isAll ? 'all' : 'some'} onChange={(event) => setAll(event.target.value === 'all')}>
            <option value="all">{text.everything}</option>
            <option value="some">{text.some}</option>
          </select>
        </label>
        <button
          type="submit"
          className={form.button}
          disabled={add.isPending || (!isAll && events.length === 0)}
        >
          {text.add}
        </button>
      </div>
      {!isAll && (
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
      )}
      <InlineError error={add.error} />
      {add.data && (
        <div className={form.done} role="status">
          <p>{text.once}</p>
          <Copyable text={add.data.secret} label={text.secretOf(add.data.url)} />
        </div>
      )}
    </form>
  );
}
