import { LIMITS, NODE_ID } from '@bindery/contract/wire';
import { changeWebhook, deliveriesOfWebhook, redeliver, webhooksPage } from '@bindery/server';
import { argument, defineCommand, flag, integer, oneOf, option, optionWithDefault } from '../command.ts';
import { plain } from '../output/text.ts';
import { named } from '../parsers.ts';
import { dataDir, onDatabase } from './on-database.ts';
import { notePage, pageInputs } from './page-inputs.ts';
import { showDeliveries } from './webhook-deliveries.ts';

const webhook = argument('<webhook>', 'its id, as admin webhooks shows it', named(NODE_ID));

export const webhooksCommand = defineCommand({
  name: 'webhooks',
  summary: 'List the webhooks of all namespaces, straight on the database',
  description:
    'Works with the service running or not. Shown is the host that a webhook sends to, what waits for it, and what was given up. ' +
    '--search looks into names of namespaces.',
  inputs: {
    ...pageInputs('webhooks'),
    state: option('<state>', 'only these', oneOf('active', 'failing', 'paused')),
    dataDir,
  },
  examples: [['bindery admin webhooks --state failing', 'whose receivers do not answer']],
  run: async ({ search = '', page, pageSize, state, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, ({ db }) => webhooksPage(db, { search, page, pageSize, state })),
  render: (found, output) => {
    output.table({
      headings: ['id', 'namespace', 'state', 'waiting', 'failed', 'host'],
      rows: found.webhooks.map(({ id, namespace, state, waiting, failed, host }) => [
        id,
        plain(namespace),
        state,
        String(waiting),
        String(failed),
        plain(host),
      ]),
    });
    for (const { id, pauseReason } of found.webhooks) {
      if (pauseReason !== null) output.note(`${id} is paused. ${plain(pauseReason)}`);
    }
    notePage(found, output);
  },
});

export const pauseWebhookCommand = defineCommand({
  name: 'pause-webhook',
  summary: 'Send nothing to a webhook of any namespace until an operator resumes it',
  description:
    'Works with the service running or not. What happens meanwhile waits. Its owners see who paused it.',
  inputs: { webhook, dataDir },
  examples: [['bindery admin pause-webhook 3f0c…', 'while its receiver is a nuisance']],
  run: async ({ webhook, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, (parts) => changeWebhook(parts, webhook, { paused: true })),
  render: ({ id, namespace }, output) => output.line(`${id} of ${plain(namespace)} is paused.`),
});

export const resumeWebhookCommand = defineCommand({
  name: 'resume-webhook',
  summary: 'Send to a webhook of any namespace again, what waited first',
  inputs: { webhook, dataDir },
  examples: [['bindery admin resume-webhook 3f0c…', 'whoever paused it']],
  run: async ({ webhook, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, (parts) => changeWebhook(parts, webhook, { paused: false })),
  render: ({ id, namespace }, output) => output.line(`${id} of ${plain(namespace)} sends again.`),
});

export const serviceEventsCommand = defineCommand({
  name: 'service-events',
  summary:
    'Tell a webhook of the service too: accounts, namespaces, quotas that were reached, damage that was found',
  description:
    'Works with the service running or not. Make the webhook in a namespace of operators first ("bindery webhook add"). It is told of ' +
    'the service until --off, or until its owners send it elsewhere.',
  inputs: { webhook, off: flag('no more'), dataDir },
  examples: [['bindery admin service-events 3f0c…', 'then see "bindery admin webhook-deliveries"']],
  run: async ({ webhook, off, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, (parts) => changeWebhook(parts, webhook, { serviceEvents: !off })),
  render: ({ id, host, serviceEvents }, output) =>
    output.line(`${id} to ${plain(host)} is ${serviceEvents ? '' : 'no longer '}told of the service.`),
});

export const webhookDeliveriesCommand = defineCommand({
  name: 'webhook-deliveries',
  summary: 'Show what a webhook of any namespace sent and is to send, newest first',
  inputs: {
    webhook,
    state: option('<state>', 'only these', oneOf('pending', 'delivered', 'failed')),
    first: optionWithDefault(
      '<n>',
      'how many',
      LIMITS.webhooks.deliveryPageSize.default,
      integer({ min: 1, max: LIMITS.webhooks.deliveryPageSize.max }),
    ),
    after: option('<delivery>', 'those before the last of the page before', named(NODE_ID)),
    dataDir,
  },
  examples: [['bindery admin webhook-deliveries 3f0c… --state failed', 'what was given up']],
  run: async ({ webhook, dataDir, ...query }, { environment }) =>
    onDatabase(environment, dataDir, (parts) => deliveriesOfWebhook(parts, webhook, query)),
  render: showDeliveries,
});

export const redeliverCommand = defineCommand({
  name: 'redeliver',
  summary: 'Send a delivery of any namespace once more, under its id',
  description: 'A service that runs sends it within seconds.',
  inputs: {
    webhook,
    delivery: argument('<delivery>', 'its id, as admin webhook-deliveries shows it', named(NODE_ID)),
    dataDir,
  },
  examples: [['bindery admin redeliver 3f0c… msg_0193…', 'after the receiver was repaired']],
  run: async ({ webhook, delivery, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, (parts) => redeliver(parts, webhook, delivery)),
  render: ({ id, event }, output) => output.line(`${event} ${id} is on its way.`),
});
