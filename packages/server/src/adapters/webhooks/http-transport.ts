import { lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { WebhookOutcome, WebhookTransport } from '../../webhooks/transport.ts';
import { allowedLookup, literalOf, NotAllowed, ReceiverAddresses } from '../allowed-addresses.ts';

/** Milliseconds for an attempt, from the DNS lookup to the response headers. */
export const ATTEMPT_TIMEOUT = 15_000;

/** Maximum size of the response headers (bytes). */
const MAX_HEAD = 16_384;

/** Milliseconds after which an address that does not respond is given up for the next one of its name. */
const CONNECT_TIMEOUT = 3_000;

/** The same for a name that does not exist and for an internal one, so that nobody can ask which of them exist. */
const NOT_ALLOWED =
  'its name cannot be looked up, or its address is not of the public internet and BINDERY_WEBHOOK_NETWORKS does not name its network';

const LOOKUP_FAILURES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'ENODATA']);

const CLOSED = 'the connection failed, or was closed without a response';

interface TransportOptions {
  /** Networks that can be sent to in addition to the public internet, also without TLS. */
  networks: readonly string[];
  /** In milliseconds, if not the default. */
  timeout?: number;
  /** How names are looked up, if not by the system. */
  resolve?: typeof lookup;
}

/**
 * Creates a transport that opens a new connection for each request and checks addresses when connecting, so that a name
 * that resolved elsewhere when its URL was entered does not bypass the check.
 */
export function createWebhookTransport({
  networks,
  timeout = ATTEMPT_TIMEOUT,
  resolve = lookup,
}: TransportOptions): WebhookTransport {
  const addresses = new ReceiverAddresses(networks);
  const connections = { keepAlive: false, autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT };
  const agents = { secure: new https.Agent(connections), plain: new http.Agent(connections) };

  function mayConnect(address: string, isSecure: boolean): boolean {
    return isSecure ? addresses.isAllowed(address) : addresses.isOwn(address);
  }

  return {
    urlProblem(text) {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'an https:// URL';
      if (url.username || url.password) return 'a URL without a user name and password';
      if (url.protocol === 'http:' && !addresses.hasOwn) return 'an https:// URL';
      const address = literalOf(url);
      if (address !== null && !mayConnect(address, url.protocol === 'https:')) {
        return 'a host whose address is of the public internet';
      }
      return null;
    },

    send({ url: text, headers, body, signal }) {
      const url = new URL(text);
      const isSecure = url.protocol === 'https:';
      const address = literalOf(url);
      if (address !== null && !mayConnect(address, isSecure)) {
        return Promise.resolve({ kind: 'failed', error: NOT_ALLOWED });
      }
      return new Promise<WebhookOutcome>((done) => {
        const tooLate = AbortSignal.timeout(timeout);
        const request = (isSecure ? https : http).request(url, {
          method: 'POST',
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          agent: isSecure ? agents.secure : agents.plain,
          lookup: allowedLookup((found) => mayConnect(found, isSecure), resolve),
          maxHeaderSize: MAX_HEAD,
          signal: AbortSignal.any([signal, tooLate]),
        });
        request.on('response', ({ statusCode = 0, headers: answered }) => {
          done({
            kind: 'answered',
            status: statusCode,
            retryAfterSeconds: secondsOf(answered['retry-after']),
          });
          request.destroy();
        });
        request.on('error', (error: NodeJS.ErrnoException) => {
          if (tooLate.aborted) done({ kind: 'failed', error: `no answer within ${timeout / 1_000} seconds` });
          else if (signal.aborted) done({ kind: 'interrupted' });
          else done({ kind: 'failed', error: describeError(error) });
        });
        // Nothing else is reported of a receiver that switches protocols (101): Node closes the connection.
        request.on('close', () => done({ kind: 'failed', error: CLOSED }));
        request.end(body);
      });
    },
  };
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null;
}

/**
 * Describes what failed without revealing what is there: whoever enters a URL must not learn about the operator's
 * network.
 */
function describeError(error: NodeJS.ErrnoException): string {
  const { code = '' } = error;
  if (error instanceof NotAllowed || LOOKUP_FAILURES.has(code)) return NOT_ALLOWED;
  if (code.startsWith('HPE_')) return 'its response is not HTTP';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || /CERT|SIGNED/.test(code)) {
    return `its certificate cannot be trusted (${code})`;
  }
  return CLOSED;
}
