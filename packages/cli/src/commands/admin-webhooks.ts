import { NODE_ID } from '@bindery/contract/wire';
import {
  administeredDeliveries,
  administerWebhook,
  MACHINE,
  redeliverAsOperator,
  webhooksPage,
} from '@bindery/server';
import { argument, defineCommand, flag, oneOf, option } from '../command.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser } from '../parsers.ts';
import { pageInputs, reportPage } from './page-inputs.ts';
import { deliveryInputs, showDeliveries, showQueued } from './webhook.ts';
import { dataDir, withDatabase } from './with-database.ts';

const webhook = argument('<webhook>', 'its id, as shown by "bindery admin webhooks"', nameParser(NODE_ID));

export const webhooksCommand = defineCommand({
  name: 'webhooks',
  summary: 'List the webhooks of all namespaces, directly from the database',
  description:
    'Works whether the service is running or not. Shows the host that a webhook sends to, what is queued for it, and deliveries that were given up. ' +
    '--search matches names of namespaces.',
  inputs: {
    ...pageInputs('webhooks'),
    state: option('<state>', 'only these', oneOf('active', 'failing', 'paused')),
    dataDir,
  },
  examples: [['bindery admin webhooks --state failing', 'those whose receivers do not answer']],
  run: async ({ search = '', page, pageSize, state, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (context) => webhooksPage(context, { search, page, pageSize, state })),
  render: (found, output) => {
    output.table({
      headings: ['id', 'namespace', 'state', 'waiting', 'failed', 'host'],
      rows: found.webhooks.map(({ id, namespace, state, waiting, failed, host }) => [
        id,
        sanitizeLine(namespace),
        state,
        String(waiting),
        String(failed),
        sanitizeLine(host),
      ]),
    });
    for (const { id, pauseReason } of found.webhooks) {
      if (pauseReason !== null) output.note(`${id} is paused. ${sanitizeLine(pauseReason)}`);
    }
    reportPage(found, output);
  },
});

export const pauseWebhookCommand = defineCommand({
  name: 'pause-webhook',
  summary: 'Pause a webhook of any namespace until an operator resumes it',
  description:
    'Works whether the service is running or not. Events are queued meanwhile. Its owners see who paused it.',
  inputs: { webhook, dataDir },
  examples: [['bindery admin pause-webhook 3f0c…', 'while its receiver causes trouble']],
  run: async ({ webhook, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      administerWebhook(parts, MACHINE, { webhookId: webhook }, { paused: true }),
    ),
  render: ({ id, namespace }, output) => output.line(`${id} of ${sanitizeLine(namespace)} is paused.`),
});

export const resumeWebhookCommand = defineCommand({
  name: 'resume-webhook',
  summary: 'Resume a webhook of any namespace, queued events first',
  inputs: { webhook, dataDir },
  examples: [['bindery admin resume-webhook 3f0c…', 'whoever paused it']],
  run: async ({ webhook, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      administerWebhook(parts, MACHINE, { webhookId: webhook }, { paused: false }),
    ),
  render: ({ id, namespace }, output) => output.line(`${id} of ${sanitizeLine(namespace)} is active again.`),
});

export const serviceEventsCommand = defineCommand({
  name: 'service-events',
  summary: 'Send a webhook events of the service too: accounts, namespaces, quotas reached, damage found',
  description:
    'Works whether the service is running or not. Create the webhook in a namespace of operators first ("bindery webhook add"). It gets events of ' +
    'the service until --off, or until its owners send it elsewhere.',
  inputs: { webhook, off: flag('stop sending them'), dataDir },
  examples: [['bindery admin service-events 3f0c…', 'then see "bindery admin webhook-deliveries"']],
  run: async ({ webhook, off, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      administerWebhook(parts, MACHINE, { webhookId: webhook }, { serviceEvents: !off }),
    ),
  render: ({ id, host, serviceEvents }, output) =>
    output.line(
      `${id} to ${sanitizeLine(host)} ${serviceEvents ? 'now receives' : 'no longer receives'} events of the service.`,
    ),
});

export const webhookDeliveriesCommand = defineCommand({
  name: 'webhook-deliveries',
  summary: 'List deliveries of a webhook of any namespace, sent and queued, newest first',
  inputs: { webhook, ...deliveryInputs, dataDir },
  examples: [['bindery admin webhook-deliveries 3f0c… --state failed', 'deliveries that were given up']],
  run: async ({ webhook, dataDir, ...query }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      administeredDeliveries(parts, { webhookId: webhook }, query),
    ),
  render: showDeliveries,
});

export const redeliverCommand = defineCommand({
  name: 'redeliver',
  summary: 'Send a delivery of any namespace again, under the same id',
  description: 'A running service sends it within seconds.',
  inputs: {
    webhook,
    delivery: argument(
      '<delivery>',
      'its id, as shown by "bindery admin webhook-deliveries"',
      nameParser(NODE_ID),
    ),
    dataDir,
  },
  examples: [['bindery admin redeliver 3f0c… msg_0193…', 'after the receiver was fixed']],
  run: async ({ webhook, delivery, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      redeliverAsOperator(parts, MACHINE, { webhookId: webhook, deliveryId: delivery }),
    ),
  render: showQueued,
});
