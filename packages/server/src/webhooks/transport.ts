/** A request to a receiver. */
export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Aborts the attempt; the outcome is `interrupted`. */
  signal: AbortSignal;
}

export type WebhookOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | null }
  /** There was no valid response; the sentence says why, and reveals nothing about the network. */
  | { kind: 'failed'; error: string }
  /** The service is stopping. */
  | { kind: 'interrupted' };

/**
 * The port to receivers: one attempt, bounded in time. Follows no redirects, reads no response bodies, and connects
 * only where the operator allows it. Never throws.
 */
export interface WebhookTransport {
  /** Returns what a URL would have to be, if nothing can ever be sent to it; null if it can be tried. */
  urlProblem(url: string): string | null;
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}

/** The part of webhook sending that use cases see. */
export interface Webhooks {
  transport: WebhookTransport;
  /** Notifies the sender that there might be something to send. */
  wake(): void;
}
