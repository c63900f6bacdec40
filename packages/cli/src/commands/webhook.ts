import type { WebhookDelivery, WebhookDeliveryPage, WebhookEvent } from '@bindery/contract';
import { LIMITS, NAMESPACE_SLUG, NODE_ID, routes, WEBHOOK_EVENTS } from '@bindery/contract/wire';
import {
  argument,
  type CommandGroup,
  defineCommand,
  flag,
  integer,
  oneOf,
  option,
  optionWithDefault,
  type Parse,
  text,
  UsageProblem,
} from '../command.ts';
import type { Output } from '../output/output.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser } from '../parsers.ts';

/** Parses events separated by commas; null for `all`. */
export const eventList: Parse<WebhookEvent[] | null> = (value) => {
  if (value === 'all') return null;
  return value.split(',').map((name) => {
    const found = WEBHOOK_EVENTS.find((event) => event === name.trim());
    if (found) return found;
    throw new UsageProblem(`expected "all", or any of ${WEBHOOK_EVENTS.join(', ')}`);
  });
};

const namespace = argument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG));
const webhookId = argument('<webhook>', 'its id, as shown by "bindery webhook list"', nameParser(NODE_ID));
const events = option('<events>', 'only these events, separated by commas, or all', eventList);

/** Which deliveries of a webhook are listed. */
export const deliveryInputs = {
  state: option('<state>', 'only these', oneOf('pending', 'delivered', 'failed')),
  first: optionWithDefault(
    '<n>',
    'how many',
    LIMITS.webhooks.deliveryPageSize.default,
    integer({ min: 1, max: LIMITS.webhooks.deliveryPageSize.max }),
  ),
  after: option('<delivery>', 'the cursor printed below the page before', nameParser(NODE_ID)),
};

const list = defineCommand({
  name: 'list',
  summary: 'List the webhooks of a namespace',
  inputs: { namespace },
  examples: [['bindery webhook list acme', 'for its owners']],
  run: async ({ namespace }, context) =>
    (await context.signedInClient()).call(routes.webhooks.listWebhooks, { params: { namespace } }),
  render: ({ webhooks }, output) => {
    output.table({
      headings: ['id', 'state', 'events', 'url'],
      rows: webhooks.map(({ id, state, events, url }) => [
        id,
        state,
        events === null ? 'all' : events.join(','),
        sanitizeLine(url),
      ]),
    });
    for (const { id, pauseReason } of webhooks) {
      if (pauseReason !== null) output.note(`${id} is paused. ${sanitizeLine(pauseReason)}`);
    }
  },
});

const add = defineCommand({
  name: 'add',
  summary: 'Send the events of a namespace to a URL',
  description:
    'Each event is a signed POST (Standard Webhooks), sent again until the response is 2xx. The secret for its signature ' +
    'is shown once.',
  inputs: { namespace, url: argument('<url>', 'where to send, https://…', text), events },
  examples: [
    ['bindery webhook add acme https://ci.example.org/bindery', 'all events'],
    [
      'bindery webhook add acme https://ci.example.org/bindery --events library.registered,release.created',
      'only what is published',
    ],
  ],
  run: async ({ namespace, url, events }, context) =>
    (await context.signedInClient()).call(routes.webhooks.createWebhook, {
      params: { namespace },
      body: { url, ...(events === undefined ? {} : { events }) },
    }),
  render: ({ id, secret }, output) => {
    output.line(`Webhook ${id}`);
    showSecret(secret, output);
  },
});

const change = defineCommand({
  name: 'change',
  summary: 'Change the URL or events of a webhook',
  inputs: { namespace, webhook: webhookId, url: option('<url>', 'where to send', text), events },
  examples: [['bindery webhook change acme 3f0c… --events all', 'everything from now on']],
  run: async ({ namespace, webhook, url, events }, context) =>
    (await context.signedInClient()).call(routes.webhooks.patchWebhook, {
      params: { namespace, webhookId: webhook },
      body: { ...(url === undefined ? {} : { url }), ...(events === undefined ? {} : { events }) },
    }),
  render: ({ id, url }, output) => output.line(`${id} now sends to ${sanitizeLine(url)}.`),
});

const pause = defineCommand({
  name: 'pause',
  summary: 'Pause a webhook; events are queued until it is resumed',
  inputs: { namespace, webhook: webhookId },
  examples: [['bindery webhook pause acme 3f0c…', 'while the receiver is being fixed']],
  run: async ({ namespace, webhook }, context) =>
    (await context.signedInClient()).call(routes.webhooks.patchWebhook, {
      params: { namespace, webhookId: webhook },
      body: { paused: true },
    }),
  render: ({ id }, output) => output.line(`${id} is paused.`),
});

const resume = defineCommand({
  name: 'resume',
  summary: 'Resume a webhook, queued events first',
  inputs: { namespace, webhook: webhookId },
  examples: [['bindery webhook resume acme 3f0c…', 'also if the service paused it']],
  run: async ({ namespace, webhook }, context) =>
    (await context.signedInClient()).call(routes.webhooks.patchWebhook, {
      params: { namespace, webhookId: webhook },
      body: { paused: false },
    }),
  render: ({ id }, output) => output.line(`${id} is active again.`),
});

const rotate = defineCommand({
  name: 'rotate',
  summary: 'Rotate the secret; the previous one also signs for a day',
  inputs: { namespace, webhook: webhookId },
  examples: [['bindery webhook rotate acme 3f0c…', 'then give it to the receiver']],
  run: async ({ namespace, webhook }, context) =>
    (await context.signedInClient()).call(routes.webhooks.rotateWebhookSecret, {
      params: { namespace, webhookId: webhook },
    }),
  render: ({ secret }, output) => showSecret(secret, output),
});

const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a webhook and its deliveries',
  inputs: { namespace, webhook: webhookId, yes: flag('skip the confirmation prompt', { short: '-y' }) },
  examples: [['bindery webhook remove acme 3f0c…', 'queued events are not sent']],
  async run({ namespace, webhook, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Remove the webhook ${webhook} of ${namespace}?`, {
      yes,
      nonInteractive: 'go ahead',
    });
    await client.call(routes.webhooks.deleteWebhook, { params: { namespace, webhookId: webhook } });
    return { namespace, id: webhook, state: 'removed' };
  },
  render: ({ id }, output) => output.line(`Removed ${id}.`),
});

const ping = defineCommand({
  name: 'ping',
  summary: 'Send a test event',
  inputs: { namespace, webhook: webhookId },
  examples: [['bindery webhook ping acme 3f0c…', 'then see "bindery webhook deliveries"']],
  run: async ({ namespace, webhook }, context) =>
    (await context.signedInClient()).call(routes.webhooks.pingWebhook, {
      params: { namespace, webhookId: webhook },
    }),
  render: showQueued,
});

const deliveries = defineCommand({
  name: 'deliveries',
  summary: 'List deliveries of a webhook, sent and queued, newest first',
  inputs: { namespace, webhook: webhookId, ...deliveryInputs },
  examples: [['bindery webhook deliveries acme 3f0c… --state failed', 'deliveries that were given up']],
  run: async ({ namespace, webhook, ...query }, context) =>
    (await context.signedInClient()).call(routes.webhooks.listDeliveries, {
      params: { namespace, webhookId: webhook },
      query: { ...query, first: String(query.first) },
    }),
  render: showDeliveries,
});

const redeliver = defineCommand({
  name: 'redeliver',
  summary: 'Send a delivery again, under the same id',
  inputs: {
    namespace,
    webhook: webhookId,
    delivery: argument('<delivery>', 'its id, as shown by "bindery webhook deliveries"', nameParser(NODE_ID)),
  },
  examples: [['bindery webhook redeliver acme 3f0c… msg_0193…', 'after the receiver was fixed']],
  run: async ({ namespace, webhook, delivery }, context) =>
    (await context.signedInClient()).call(routes.webhooks.redeliver, {
      params: { namespace, webhookId: webhook, deliveryId: delivery },
    }),
  render: showQueued,
});

function showSecret(secret: string, output: Output): void {
  output.line(secret);
  output.note('The secret is not shown again. The receiver uses it to verify signatures.');
}

/** Says that a delivery will be sent. */
export function showQueued({ id, event }: Pick<WebhookDelivery, 'id' | 'event'>, output: Output): void {
  output.line(`${event} ${id} is queued.`);
}

export const webhook: CommandGroup = {
  name: 'webhook',
  summary: 'Notify other services of events in a namespace',
  commands: [list, add, change, pause, resume, rotate, remove, ping, deliveries, redeliver],
};

/** Prints deliveries of a webhook as a table, and how to get the next page. */
export function showDeliveries({ deliveries, pageInfo }: WebhookDeliveryPage, output: Output): void {
  output.table({
    headings: ['id', 'created', 'event', 'state', 'attempts', 'next', 'last answer'],
    rows: deliveries.map((one) => [
      one.id,
      one.createdAt,
      one.event,
      one.state,
      String(one.attempts),
      one.nextAttemptAt ?? '-',
      sanitizeLine(one.lastError ?? String(one.lastStatus ?? '-')),
    ]),
  });
  if (pageInfo.hasNextPage) output.note(`There is more: --after ${pageInfo.endCursor}`);
}
