import { type ListSearch, readListSearch } from '../../url.ts';

export const WEBHOOK_STATES = ['active', 'failing', 'paused'] as const;

/** Search parameters of the list of all webhooks. */
export interface WebhookListSearch extends ListSearch {
  state?: (typeof WEBHOOK_STATES)[number];
}

export function readWebhookListSearch(values: Record<string, unknown>): WebhookListSearch {
  const state = WEBHOOK_STATES.find((one) => one === values.state);
  return { ...readListSearch(values), ...(state !== undefined && { state }) };
}
