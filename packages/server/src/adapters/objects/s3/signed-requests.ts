import { hash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { type S3Location, urlOf } from './location.ts';
import type { SignatureV4 } from './signature-v4.ts';

const CONNECTIONS = 64;
const EMPTY = hash('sha256', '');

export interface ObjectRequest {
  method: 'GET' | 'HEAD' | 'PUT';
  key: string;
  headers?: Record<string, string>;
  /** With its SHA-256, which is signed. */
  body?: { bytes: Buffer; sha256: string };
}

/** What the store answered instead, as the SDK has it. */
class Refusal extends Error {
  readonly $metadata: { httpStatusCode: number };

  constructor(status: number, body: string) {
    super(/<Message>([^<]*)</.exec(body)?.[1] ?? `the store answered ${status}`);
    this.name = /<Code>([^<]+)</.exec(body)?.[1] ?? `Status${status}`;
    this.$metadata = { httpStatusCode: status };
  }
}

/**
 * Requests for single objects, of which there are as many as files. By the SDK each takes four times as much processor time,
 * more than the store needs to answer it.
 */
export class SignedRequests {
  readonly #location: S3Location;
  readonly #signer: SignatureV4;
  readonly #idleTimeout: number;
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
  };

  /** `idleTimeout` is milliseconds in which nothing moves. */
  constructor(location: S3Location, signer: SignatureV4, idleTimeout: number) {
    this.#location = location;
    this.#signer = signer;
    this.#idleTimeout = idleTimeout;
  }

  /** One attempt. The body of the answer is the caller's to read. Throws what the store answered, with its code as `name`. */
  async send({ method, key, headers = {}, body }: ObjectRequest): Promise<http.IncomingMessage> {
    const url = urlOf(this.#location, key);
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(body.bytes.length) };
    const signed = this.#signer.authorize(
      { method, url, headers: { ...headers, ...length }, payload: body?.sha256 ?? EMPTY },
      Date.now(),
    );
    const isTls = url.protocol === 'https:';
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = (isTls ? https : http).request(`${url.protocol}//${url.host}${url.pathname}`, {
        method,
        headers: signed,
        agent: this.#agents[isTls ? 'https:' : 'http:'],
        timeout: this.#idleTimeout,
      });
      request.on('timeout', () => request.destroy(new Error('nothing has moved on the connection')));
      request.on('error', reject);
      request.on('response', resolve);
      request.end(body?.bytes);
    });
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw new Refusal(status, await text(answer));
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}
