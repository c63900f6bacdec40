import { createHmac, randomBytes } from 'node:crypto';

/** A request to a receiver. */
interface WebhookRequest {
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

const PREFIX = 'whsec_';

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * Returns the header `webhook-signature`: one signature for each secret.
 *
 * Source: Standard Webhooks 1.0 (https://www.standardwebhooks.com), "Signature scheme": HMAC-SHA256 over
 * `id.timestamp.body`.
 */
export function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
}
