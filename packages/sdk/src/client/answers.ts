import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { apiErrorOf } from './api-error.ts';
import { ApiError, NetworkError, UnexpectedAnswerError } from './errors.ts';
import type { TransportResponse } from './transport.ts';

/** The most of an error's body that is read. */
const ERROR_BODY_LIMIT = 256 * 1024;

/** Reads a whole body, unpacked where it came compressed, at most `limit` bytes. */
export async function readBytes(
  response: Pick<TransportResponse, 'headers' | 'body'>,
  limit: number,
  origin: string,
): Promise<Buffer> {
  const body = unpacked(response);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit)
      throw new UnexpectedAnswerError(origin, `The answer of ${origin} is over ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Throws what a failed or redirecting answer says. */
export async function refuseFailure(response: TransportResponse, origin: string): Promise<void> {
  if (response.status >= 400) throw await readApiError(response, origin);
  const { location } = response.headers;
  if (response.status < 300 || response.status === 304 || location === undefined) return;
  await response.body.dump();
  const target = URL.canParse(location, origin) ? new URL(location, origin).origin : 'elsewhere';
  throw new UnexpectedAnswerError(origin, `${origin} redirects to ${target}. Use that address instead.`);
}

function unpacked({ headers, body }: Pick<TransportResponse, 'headers' | 'body'>): Readable {
  if (headers['content-encoding'] !== 'gzip') return body;
  const gunzip = createGunzip();
  body.once('error', (error) => gunzip.destroy(error));
  gunzip.once('close', () => body.destroy());
  return body.pipe(gunzip);
}

async function readApiError(response: TransportResponse, origin: string): Promise<ApiError> {
  const text = await readBytes(response, ERROR_BODY_LIMIT, origin).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
  return apiErrorOf({ ...response, text, origin });
}

/** Names a failure of the connection. Aborts are passed on as they are. */
export function nameFailure(error: unknown, origin: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof ApiError || error instanceof NetworkError || error instanceof UnexpectedAnswerError) {
    return error;
  }
  return new NetworkError(origin, `${origin}: ${explainFailure(error)}`, {
    reason: codeOf(error),
    cause: error,
  });
}

/** Why a connection failed, in a sentence that goes after the name of the server and a colon. */
export function explainFailure(error: unknown): string {
  const known = SENTENCES[codeOf(error) ?? ''];
  if (known !== undefined) return known;
  return (error instanceof Error ? error.message : String(error)).trim();
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at this address.',
  ECONNRESET: 'the connection was reset.',
  EPIPE: 'the connection was closed while sending.',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the host name could not be looked up.',
  ETIMEDOUT: 'the connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out.',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time.',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way.',
  UND_ERR_SOCKET: 'the connection was closed early.',
  CONNECT_TIMEOUT: 'the connection timed out.',
  ANSWER_TIMEOUT: 'the server did not answer in time.',
  TRANSFER_TOO_SLOW: 'the transfer was slower than it may be, or stood still.',
  CLOSED_EARLY: 'the connection was closed early.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS names further authorities.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS names further ones.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS names further ones.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS names further ones.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not answer by TLS; is its address http://?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
};
