import type { WebhookEvent } from '@bindery/contract';
import { WEBHOOK_EVENTS } from '@bindery/contract/wire';
import { type Parse, UsageProblem } from '../command.ts';

/** Parses events separated by commas; null for `all`. */
export const eventList: Parse<WebhookEvent[] | null> = (value) => {
  if (value === 'all') return null;
  return value.split(',').map((name) => {
    const found = WEBHOOK_EVENTS.find((event) => event === name.trim());
    if (found) return found;
    throw new UsageProblem(`expected "all", or any of ${WEBHOOK_EVENTS.join(', ')}`);
  });
};
