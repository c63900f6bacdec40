import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError, NetworkError, parseApiError, UnexpectedResponseError } from './errors.ts';
import type { ResponseSink } from './transport.ts';

/** A complete response; its body is still compressed if it was sent so. */
export interface WholeResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

/** Maximum bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 256 * 1024;

/** Returns the body of a response, decompressed if necessary. Throws if that yields more than `limit` bytes. */
export async function decompress(
  { headers, bytes }: WholeResponse,
  limit: number,
  origin: string,
): Promise<Buffer> {
  if (headers['content-encoding'] !== 'gzip') return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? responseTooLongError(origin, limit) : error;
  }
}

function responseTooLongError(origin: string, limit: number): UnexpectedResponseError {
  return new UnexpectedResponseError(origin, `The answer of ${origin} is over ${limit} bytes.`);
}

/** Throws the error that a failed or redirecting response describes. */
async function requireSuccess(answer: WholeResponse, origin: string): Promise<void> {
  if (answer.status >= 400) throw await readApiError(answer, origin);
  const { location } = answer.headers;
  if (answer.status < 300 || answer.status === 304 || location === undefined) return;
  const target = URL.canParse(location, origin) ? new URL(location, origin).origin : 'elsewhere';
  throw new UnexpectedResponseError(origin, `${origin} redirects to ${target}. Use that address instead.`);
}

async function readApiError(answer: WholeResponse, origin: string): Promise<ApiError> {
  const text = await decompress(answer, MAX_ERROR_BYTES, origin).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
  return parseApiError({ ...answer, text, origin });
}

/** Converts a connection failure to a `NetworkError`. Aborts and the client's own errors stay as they are. */
export function toClientError(error: unknown, origin: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (
    error instanceof ApiError ||
    error instanceof NetworkError ||
    error instanceof UnexpectedResponseError
  ) {
    return error;
  }
  return new NetworkError(origin, `${origin}: ${explainFailure(error)}`, {
    reason: codeOf(error),
    cause: error,
  });
}

/** Explains a connection failure in a sentence that follows the server's name and a colon. */
export function explainFailure(error: unknown): string {
  const known = FAILURE_MESSAGES[codeOf(error) ?? ''];
  if (known !== undefined) return known;
  return (error instanceof Error ? error.message : String(error)).trim();
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

const FAILURE_MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused.',
  ECONNRESET: 'the connection was reset.',
  EPIPE: 'the connection was closed while sending.',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the host name could not be looked up.',
  ETIMEDOUT: 'the connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out.',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time.',
  UND_ERR_BODY_TIMEOUT: 'the response was cut off.',
  UND_ERR_SOCKET: 'the connection was closed early.',
  TRANSFER_TOO_SLOW: 'the transfer was too slow or stalled.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was cut off.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; add the authority with NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from an unknown authority; add it with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is from an unknown authority; add it with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is from an unknown authority; add it with NODE_EXTRA_CA_CERTS.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not support TLS; is its address http://?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
};

/** Collects the body of a response in memory; throws if it is longer than `limit` bytes. */
export class BodyCollector implements ResponseSink {
  readonly #limit: number;
  readonly #origin: string;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(limit: number, origin: string) {
    this.#limit = limit;
    this.#origin = origin;
  }

  onHead(): void {}

  onBytes(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#limit) throw responseTooLongError(this.#origin, this.#limit);
    this.#pieces.push(bytes);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces, this.#size);
  }
}

/** Passes on the body of a successful response, and keeps that of a failed one to read its error. */
export class DeliveredResponse implements ResponseSink {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  /** What the receiving sink threw. */
  sinkError: unknown;
  readonly #sink: ResponseSink;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether the exchange was ended here because the body of a failure is longer than `MAX_ERROR_BYTES`. */
  get isTruncated(): boolean {
    return this.#keptBytes > MAX_ERROR_BYTES;
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    if (this.#succeeded) this.#guarded(() => this.#sink.onHead(status, headers));
  }

  onBytes(bytes: Buffer): void {
    if (this.#succeeded) {
      this.#guarded(() => this.#sink.onBytes(bytes));
      return;
    }
    this.#keptBytes += bytes.length;
    if (this.isTruncated) throw new Error('the error response is too large');
    this.#kept.push(bytes);
  }

  /** Throws the error that a failed response describes. */
  async requireSuccess(origin: string): Promise<void> {
    if (this.#succeeded) return;
    const bytes = Buffer.concat(this.isTruncated ? [] : this.#kept);
    await requireSuccess({ status: this.status, headers: this.headers, bytes }, origin);
  }

  get #succeeded(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  #guarded(pass: () => void): void {
    try {
      pass();
    } catch (error) {
      this.sinkError ??= error;
      throw error;
    }
  }
}
