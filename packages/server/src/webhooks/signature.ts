import { createHmac, randomBytes } from 'node:crypto';

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
