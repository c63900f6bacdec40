/** A request to a receiver. */
export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Ends the attempt; the outcome is `interrupted`. */
  signal: AbortSignal;
}

export type WebhookOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | null }
  /** Nothing was answered that could be understood; the sentence says why, and names nothing of the network. */
  | { kind: 'failed'; error: string }
  /** The service is about to stop. */
  | { kind: 'interrupted' };

/**
 * The port to receivers: one attempt, bounded in time. Follows no redirect, reads no body of an answer, and connects only where the
 * operator allows it. Never throws.
 */
export interface WebhookTransport {
  /** Why a URL can never be sent to; null where it may be tried. */
  refusalOf(url: string): string | null;
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}

/** What use cases see of what sends. */
export interface Webhooks {
  transport: WebhookTransport;
  /** Says that there is something to send, perhaps. */
  wake(): void;
}
