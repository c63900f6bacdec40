import type { AdministeredWebhook, BodyInputOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link } from '@tanstack/react-router';
import { adminMessages } from '../../messages/admin.ts';
import { webhooksMessages } from '../../messages/webhooks.ts';
import { messages } from '../../messages.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { SelectField } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/notices.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { service } from '../../session.ts';
import { refreshWebhooks, type WebhookAccess, WebhookCard } from '../webhooks/webhook-card.tsx';
import { AdminFrame } from './admin-frame.tsx';

const route = getRouteApi('/-/admin/webhooks');

/** The webhooks of all namespaces: which of them fail, their pending deliveries, and what can be done about it. */
export function AdminWebhooksPage() {
  const text = adminMessages.webhooks;
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <AdminFrame title={messages.titles.webhooks}>
      <PagedList
        queryKey={['webhooks', 'of all', state]}
        read={(query, signal) =>
          service.call(routes.adminWebhooks.listAllWebhooks, {
            query: { ...query, ...(state && { state }) },
            signal,
          })
        }
        text={{ title: messages.titles.webhooks, search: text.search }}
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
        empty={<EmptyState title={text.none} />}
        isCards
      >
        {({ webhooks }) => webhooks.map((webhook) => <AnyWebhook key={webhook.id} webhook={webhook} />)}
      </PagedList>
    </AdminFrame>
  );
}

function AnyWebhook({ webhook }: { webhook: AdministeredWebhook }) {
  const text = adminMessages.webhooks;
  const { id: webhookId, namespace, host, waiting, failed, serviceEvents } = webhook;
  const name = text.of(namespace, host);
  const change = (body: BodyInputOf<typeof routes.adminWebhooks.changeAnyWebhook>) =>
    service.call(routes.adminWebhooks.changeAnyWebhook, { params: { webhookId }, body });
  const access: WebhookAccess = {
    key: ['admin', webhookId],
    pause: (paused) => change({ paused }),
    read: (query, signal) =>
      service.call(routes.adminWebhooks.listAnyDeliveries, { params: { webhookId }, query, signal }),
    redeliver: (deliveryId) =>
      service.call(routes.adminWebhooks.redeliverAny, { params: { webhookId, deliveryId } }),
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
            <Link to="/-/admin/namespaces/$namespace" params={{ namespace }}>
              {namespace}
            </Link>
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
        run={async () => {
          await change({ serviceEvents: !serviceEvents });
          await refreshWebhooks();
        }}
      />
    </WebhookCard>
  );
}
