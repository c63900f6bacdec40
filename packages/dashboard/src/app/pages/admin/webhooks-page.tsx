import type { AdministeredWebhook, BodyInputOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link } from '@tanstack/react-router';
import { toInspectedNamespace } from '../../links.ts';
import { allWebhooksMessages as text } from '../../messages/admin.ts';
import { webhooksMessages } from '../../messages/webhooks.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { SelectField } from '../../parts/form.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { change, queryOf, service } from '../../session.ts';
import { type WebhookAccess, WebhookCard } from '../webhooks/webhook-card.tsx';
import { AdminFrame } from './admin-frame.tsx';

const route = getRouteApi('/-/admin/webhooks');

/** The webhooks of all namespaces: which of them fail, their pending deliveries, and what can be done about it. */
export function AdminWebhooksPage() {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <AdminFrame title={text.title}>
      <PagedList
        query={(page) => {
          const query = { ...page, ...(state && { state }) };
          return queryOf(['webhooks', 'of all', query], routes.adminWebhooks.listAllWebhooks, { query });
        }}
        text={text}
        filters={
          <SelectField
            label={text.state}
            value={state ?? ''}
            options={{ '': text.anyState, ...webhooksMessages.states }}
            onChange={(chosen) =>
              navigate({
                search: ({ page: _, state: __, ...others }) => ({
                  ...others,
                  ...(chosen && { state: chosen }),
                }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        }
        isCards
      >
        {({ webhooks }) => webhooks.map((webhook) => <AnyWebhook key={webhook.id} webhook={webhook} />)}
      </PagedList>
    </AdminFrame>
  );
}

function AnyWebhook({ webhook }: { webhook: AdministeredWebhook }) {
  const { id: webhookId, namespace, host, waiting, failed, serviceEvents } = webhook;
  const name = text.of(namespace, host);
  const changeIt = (body: BodyInputOf<typeof routes.adminWebhooks.changeAnyWebhook>) =>
    change(routes.adminWebhooks.changeAnyWebhook, { params: { webhookId }, body }, ['webhooks']);
  const access: WebhookAccess = {
    key: ['admin', webhookId],
    pause: (paused) => changeIt({ paused }),
    read: (query, signal) =>
      service.call(routes.adminWebhooks.listAnyDeliveries, { params: { webhookId }, query, signal }),
    redeliver: (deliveryId) =>
      change(routes.adminWebhooks.redeliverAny, { params: { webhookId, deliveryId } }, ['webhooks']),
  };
  const telling = serviceEvents ? text.untell : text.tell;
  return (
    <WebhookCard
      webhook={webhook}
      access={access}
      name={name}
      heading={
        <>
          <h2>
            <Link {...toInspectedNamespace(namespace)}>{namespace}</Link>
          </h2>
          <p>{text.sendsTo(host)}</p>
        </>
      }
      counts={text.counts(waiting, failed)}
      isFolded
    >
      <ActionButton
        label={telling}
        name={webhooksMessages.of(telling, name)}
        run={() => changeIt({ serviceEvents: !serviceEvents })}
      />
    </WebhookCard>
  );
}
