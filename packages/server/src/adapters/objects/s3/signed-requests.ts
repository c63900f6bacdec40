import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { originOf, type S3Location, urlOf } from './location.ts';
import type { SignatureV4 } from './signature-v4.ts';

const CONNECTIONS = 64;
const EMPTY = hash('sha256', '');
/** Bytes of a body handed over at a time, so that sending a long one counts as activity on the connection. */
const PIECE = 1024 * 1024;

export interface ObjectRequest {
  method: 'GET' | 'HEAD' | 'PUT';
  key: string;
  headers?: Record<string, string>;
  /** The bytes and their SHA-256, which is signed. */
  body?: { bytes: Buffer; sha256: string };
}

/** A response of the store. The body has to be read, dumped or destroyed. */
export type ObjectAnswer = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/** An error response of the store, in the form that the SDK uses. */
class Refusal extends Error {
  readonly $metadata: { httpStatusCode: number };

  constructor(status: number, body: string) {
    super(/<Message>([^<]*)</.exec(body)?.[1] ?? `the store answered ${status}`);
    this.name = /<Code>([^<]+)</.exec(body)?.[1] ?? `Status${status}`;
    this.$metadata = { httpStatusCode: status };
  }
}

/**
 * Sends requests for single objects, of which there are as many as files. With the SDK, each takes four times as much
 * CPU time, more than the store needs to respond.
 */
export class SignedRequests {
  readonly #location: S3Location;
  readonly #signer: SignatureV4;
  readonly #pool: Pool;

  /** In milliseconds: `connectTimeout` to connect, `idleTimeout` without data on a connection. */
  constructor(
    location: S3Location,
    signer: SignatureV4,
    { connectTimeout, idleTimeout }: { connectTimeout: number; idleTimeout: number },
  ) {
    this.#location = location;
    this.#signer = signer;
    this.#pool = new Pool(originOf(location), {
      connections: CONNECTIONS,
      connect: { timeout: connectTimeout },
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
    });
  }

  /** Makes one attempt. Throws an error response of the store, with its code as `name`. */
  async send({ method, key, headers = {}, body }: ObjectRequest): Promise<ObjectAnswer> {
    const url = urlOf(this.#location, key);
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(body.bytes.length) };
    const signed = this.#signer.authorize(
      { method, url, headers: { ...headers, ...length }, payload: body?.sha256 ?? EMPTY },
      Date.now(),
    );
    const answer = await this.#pool.request({
      method,
      path: url.pathname,
      headers: signed,
      body: body === undefined ? null : inPieces(body.bytes),
    });
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw new Refusal(answer.statusCode, await answer.body.text());
  }

  /** Running requests fail. */
  close(): void {
    void this.#pool.destroy();
  }
}

function inPieces(bytes: Buffer): Buffer | Readable {
  if (bytes.length <= PIECE) return bytes;
  const count = Math.ceil(bytes.length / PIECE);
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * PIECE, (at + 1) * PIECE));
  return Readable.from(pieces, { objectMode: false });
}
