import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { originOf, type S3Location, urlOf } from './location.ts';
import type { SignatureV4 } from './signature-v4.ts';

const CONNECTIONS = 64;
const EMPTY = hash('sha256', '');
/** Bytes that are handed over at a time, so that a long body counts as moving while it is sent. */
const PIECE = 1024 * 1024;

export interface ObjectRequest {
  method: 'GET' | 'HEAD' | 'PUT';
  key: string;
  headers?: Record<string, string>;
  /** With its SHA-256, which is signed. */
  body?: { bytes: Buffer; sha256: string };
}

/** What the store answered. The body has to be read, dumped or destroyed. */
export type ObjectAnswer = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

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
  readonly #pool: Pool;

  /** Milliseconds: `connectTimeout` for a connection, `idleTimeout` in which nothing moves on one. */
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

  /** One attempt. Throws what the store answered, with its code as `name`. */
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
