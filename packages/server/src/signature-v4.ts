import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
const SERVICE = 's3';

/** Used in place of the hash of a body that the signature does not cover. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** Credentials of an S3 store. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Only in temporary credentials. */
  sessionToken?: string | undefined;
}

/** The signed parts of a request, none of which can be changed afterwards. */
export interface Signable {
  method: string;
  /** The URL without a query; its path is already encoded. */
  url: { host: string; pathname: string; protocol: string };
  query?: Readonly<Record<string, string>>;
  /** By lowercase name. `host` is always signed. */
  headers?: Readonly<Record<string, string>>;
  /** The SHA-256 of the body in hexadecimal digits, or `UNSIGNED_PAYLOAD`. */
  payload: string;
}

/**
 * Signs requests to an S3 store with AWS Signature Version 4, without any network access: the algorithm as published in
 * "Authenticating Requests" of the Amazon S3 API reference.
 */
export class SignatureV4 {
  readonly #credentials: () => Credentials;
  readonly #region: string;
  #key: { day: string; secret: string; key: KeyObject } | null = null;

  /** Signs with the credentials that `credentials` returns at the time. */
  constructor(credentials: () => Credentials, region: string) {
    this.#credentials = credentials;
    this.#region = region;
  }

  /** Returns a URL that can be used for `seconds` from `at` (milliseconds since 1970) with the same headers. */
  presign(request: Signable, at: number, seconds: number): string {
    const time = amzDate(at);
    const scope = this.#scope(time);
    const { accessKeyId, secretAccessKey, sessionToken } = this.#credentials();
    const query = {
      ...request.query,
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Credential': `${accessKeyId}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(seconds),
      'X-Amz-SignedHeaders': signedNames(request),
      ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    };
    const signature = this.#sign({ ...request, query }, time, scope, secretAccessKey);
    const { protocol, host, pathname } = request.url;
    return `${protocol}//${host}${pathname}?${canonicalQuery(query)}&X-Amz-Signature=${signature}`;
  }

  /** Returns the headers of a request sent at `at` (milliseconds since 1970), including those given. */
  authorize(request: Signable, at: number): Record<string, string> {
    const time = amzDate(at);
    const scope = this.#scope(time);
    const { accessKeyId, secretAccessKey, sessionToken } = this.#credentials();
    const headers = {
      ...request.headers,
      'x-amz-content-sha256': request.payload,
      'x-amz-date': time,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const signed = { ...request, headers };
    const signature = this.#sign(signed, time, scope, secretAccessKey);
    return {
      ...headers,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope},SignedHeaders=${signedNames(signed)},Signature=${signature}`,
    };
  }

  #sign(request: Signable, time: string, scope: string, secret: string): string {
    return signatureOf(request, { time, scope, key: this.#signingKey(time.slice(0, 8), secret) });
  }

  #scope(time: string): string {
    return `${time.slice(0, 8)}/${this.#region}/${SERVICE}/aws4_request`;
  }

  /**
   * Returns the signing key, which is the same for a whole day. It is cached because deriving it takes longer than
   * signing.
   */
  #signingKey(day: string, secret: string): KeyObject {
    if (this.#key?.day === day && this.#key.secret === secret) return this.#key.key;
    const key = signingKey(secret, day, this.#region);
    this.#key = { day, secret, key };
    return key;
  }
}

/** The key with which an access key signs requests of a day (`20130524`) to a region. */
export function signingKey(secret: string, day: string, region: string): KeyObject {
  let bytes: Buffer = Buffer.from(`AWS4${secret}`);
  for (const text of [day, region, SERVICE, 'aws4_request']) {
    bytes = createHmac('sha256', bytes).update(text).digest();
  }
  return createSecretKey(bytes);
}

/** Returns the signature of a request; `scope` is what follows the access key in its credential. */
export function signatureOf(
  request: Signable,
  { time, scope, key }: { time: string; scope: string; key: KeyObject },
): string {
  const text = `${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', canonicalRequest(request))}`;
  return createHmac('sha256', key).update(text).digest('hex');
}

function canonicalRequest(request: Signable): string {
  const { method, url, query = {}, payload } = request;
  const headers = signedHeaders(request)
    .map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`)
    .join('');
  return `${method}\n${url.pathname}\n${canonicalQuery(query)}\n${headers}\n${signedNames(request)}\n${payload}`;
}

function signedHeaders({ url, headers = {} }: Signable): [string, string][] {
  return [...Object.entries(headers), ['host', url.host] as [string, string]].sort(byName);
}

function signedNames(request: Signable): string {
  return signedHeaders(request)
    .map(([name]) => name)
    .join(';');
}

export function canonicalQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [encode(name), encode(value)]);
  return pairs
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;

/** Percent-encodes text as in RFC 3986: everything except letters, digits and `-._~`. */
export function encode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20130524T000000Z`. */
function amzDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
