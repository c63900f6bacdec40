import type { WebhookDeliveryPage } from '@bindery/contract';
import type { Output } from '../output/output.ts';
import { sanitizeLine } from '../output/text.ts';

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
