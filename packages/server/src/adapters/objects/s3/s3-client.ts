import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { canonicalQuery, encode, type Signable, type SignatureV4 } from '../../../signature-v4.ts';
import { Refusal } from './failures.ts';

const CONNECTIONS = 64;
/** Milliseconds to connect, and without any data on a connection. */
const CONNECT_TIMEOUT = 10_000;
const IDLE_TIMEOUT = 20_000;
const EMPTY = hash('sha256', '');
/** Bytes of a body handed over at a time, so that sending a long one counts as activity on the connection. */
const PIECE = 1024 * 1024;

/** Where a store's objects are: a bucket of an S3 service, and a prefix of all keys. */
export interface S3Location {
  bucket: string;
  /** Without leading or trailing slash; empty for the whole bucket. */
  prefix: string;
  /** The URL of the S3 service; null for Amazon's. */
  endpoint: string | null;
  region: string;
}

/** Returns the URL of a key, as clients and the service reach it. */
export function urlOf({ bucket, endpoint, region }: S3Location, key: string): Signable['url'] {
  const path = key === '' ? '' : `/${key.split('/').map(encode).join('/')}`;
  if (endpoint === null) {
    return { protocol: 'https:', host: `${bucket}.s3.${region}.amazonaws.com`, pathname: path || '/' };
  }
  const { protocol, host, pathname } = new URL(endpoint);
  return { protocol, host, pathname: `${pathname.replace(/\/+$/, '')}/${bucket}${path}` };
}

/** The origin of presigned URLs. */
export function originOf(location: S3Location): string {
  const { protocol, host } = urlOf(location, '');
  return `${protocol}//${host}`;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** The content, its length, and its SHA-256, which is signed. */
  body?: { content: Buffer | Readable; size: number; sha256: string };
}

/** A response of the store. The body has to be read, dumped or destroyed. */
export type S3Answer = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/** Sends signed requests for a bucket and its objects. */
export class S3Client {
  readonly #location: S3Location;
  readonly #signer: SignatureV4;
  readonly #pool: Pool;

  constructor(location: S3Location, signer: SignatureV4) {
    this.#location = location;
    this.#signer = signer;
    this.#pool = new Pool(originOf(location), {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT },
      headersTimeout: IDLE_TIMEOUT,
      bodyTimeout: IDLE_TIMEOUT,
    });
  }

  /** Makes one attempt. Throws `Refusal` if the store refuses. */
  async send({ method, key, query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const url = urlOf(this.#location, key);
    const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(body.size) };
    const signed = this.#signer.authorize(
      { method, url, query, headers: { ...headers, ...length }, payload: body?.sha256 ?? EMPTY },
      Date.now(),
    );
    const search = Object.keys(query).length === 0 ? '' : `?${canonicalQuery(query)}`;
    const answer = await this.#pool.request({
      method,
      path: url.pathname + search,
      headers: signed,
      body: body === undefined ? null : inPieces(body.content),
    });
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw refusal(answer.statusCode, await answer.body.text());
  }

  /** Like `send`; returns the document that the store answers, which may report a failure despite its status. */
  async ask(request: S3Request): Promise<string> {
    const { body } = await this.send(request);
    const text = await body.text();
    if (/<Error>/.test(text)) throw refusal(500, text);
    return text;
  }

  /** Running requests fail. */
  close(): void {
    void this.#pool.destroy();
  }
}

function refusal(status: number, body: string): Refusal {
  const [code = `Status${status}`] = texts(body, 'Code');
  const [message = `the store answered ${status}`] = texts(body, 'Message');
  return new Refusal(status, code, message);
}

/** Returns the text of each element of this name, which contains no others. */
export function texts(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replace(/&(#x?[\da-f]+|\w+);/gi, (_, entity: string) => decodeEntity(entity)),
  );
}

/** Returns what each element of this name contains. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntity(entity: string): string {
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? `&${entity};`;
  return String.fromCodePoint(Number(entity.slice(1).replace(/^x/i, '0x')));
}

function inPieces(bytes: Buffer | Readable): Buffer | Readable {
  if (!Buffer.isBuffer(bytes) || bytes.length <= PIECE) return bytes;
  const count = Math.ceil(bytes.length / PIECE);
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * PIECE, (at + 1) * PIECE));
  return Readable.from(pieces, { objectMode: false });
}
