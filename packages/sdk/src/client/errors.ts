import type { ErrorCode } from '@bindery/contract';
import { BinderyError } from '../failures.ts';

/** The service returned an error. `details` holds the fields of the body other than code, message and request id. */
export class ApiError extends BinderyError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of the contract. A newer service or a proxy may send others; `http_<status>` stands for a missing code. */
  declare readonly code: ErrorCode | (string & {});
  readonly requestId: string | null;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    requestId: string | null;
    details?: Record<string, unknown>;
  }) {
    super(answer.code, answer.message, { details: answer.details ?? {} });
    this.status = answer.status;
    this.requestId = answer.requestId;
  }
}

/** No usable response: refused, unknown host, reset, timed out, TLS. `origin` names the server, never a query. */
export class NetworkError extends BinderyError {
  override readonly name = 'NetworkError';
  readonly origin: string;
  /** The service that gave out the address, if it is not the service's own. */
  givenBy: string | null = null;
  /** The system's or the client library's code (`ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, …), if there is one. */
  readonly reason: string | null;

  constructor(origin: string, message: string, options: { reason: string | null; cause?: unknown }) {
    super('network', message, { details: { origin, reason: options.reason }, cause: options.cause });
    this.origin = origin;
    this.reason = options.reason;
  }
}

/** The other end responded, but not as a Bindery service of this version does. */
export class UnexpectedResponseError extends BinderyError {
  override readonly name = 'UnexpectedResponseError';
  readonly origin: string;
  /** Whether the same request may be answered properly a moment later, as after a response that a proxy cut short. */
  readonly isTransient: boolean;

  constructor(origin: string, message: string, { isTransient = false }: { isTransient?: boolean } = {}) {
    super('unexpected_answer', message, { details: { origin } });
    this.origin = origin;
    this.isTransient = isTransient;
  }
}

/** Names the file in an error that another program than the service answered its transfer with. */
export function nameTransferredFile(error: unknown, path: string): unknown {
  if (!(error instanceof ApiError) || !isFromElsewhere(error)) return error;
  const { status, code, requestId, details } = error;
  const message = `${path}: ${error.message}`;
  return new ApiError({ status, code, requestId, message, details: { ...details, path } });
}

/** Whether the error is not one of the service, but of a proxy before it or of another store. */
export function isFromElsewhere({ code }: ApiError): boolean {
  return code.startsWith('http_');
}

/** A response with a status of 400 or more, as it was received. */
export interface FailedResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  text: string;
  origin: string;
}

/** Converts a failed response to the error that it describes; errors of others than the service are `http_<status>`. */
export function parseApiError(response: FailedResponse): ApiError {
  const { status, headers, text } = response;
  const { error, message, requestId, ...details } = parseObject(text);
  const seconds = parseRetryAfter(headers['retry-after']);
  const code = typeof error === 'string' && /^[a-z][a-z0-9_]*$/.test(error) ? error : null;
  return new ApiError({
    status,
    code: code ?? `http_${status}`,
    message: code !== null && typeof message === 'string' ? message : describeForeignFailure(response),
    requestId: typeof requestId === 'string' ? requestId : (headers['x-request-id'] ?? null),
    details: seconds === null ? details : { ...details, retryAfterSeconds: seconds },
  });
}

/** Describes a failure that the service did not report: one of an S3 store, which sends XML, or of a proxy. */
function describeForeignFailure({ status, headers, text, origin }: FailedResponse): string {
  if (status === 407)
    return 'The proxy asks for a user name and password. Put them into HTTP_PROXY or HTTPS_PROXY: http://user:password@host:port.';
  const stored = text.includes('<Error>') ? /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] : undefined;
  if (stored !== undefined) return `${origin} responded with status ${status} (${stored}).`;
  const type = headers['content-type']?.split(';')[0];
  const sender = headers.server === undefined ? null : `from ${headers.server}`;
  const what = [type, sender].filter(Boolean).join(' ').slice(0, 120);
  return (
    `${origin} responded with status ${status}${what === '' ? '' : ` (${what})`}, but not as a Bindery service does. ` +
    'Is it one? Or a proxy on the way may have refused the request.'
  );
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Parses `Retry-After`, which is in seconds or a date. */
function parseRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1_000);
}

/**
 * Names the library, release or revision in an error that it was not found. The service answers the same for everything that is
 * hidden or missing, and commands ask for several libraries.
 */
export function nameMissingLibrary(
  error: unknown,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): unknown {
  if (!(error instanceof ApiError) || error.code !== 'not_found') return error;
  const { namespace, name, release = query.release, uploadId } = params;
  if (namespace === undefined || name === undefined || uploadId !== undefined) return error;
  const [kind, library] =
    release !== undefined
      ? ['release', `${namespace}/${name}@${release}`]
      : query.revision !== undefined
        ? ['revision', `${namespace}/${name}#${query.revision}`]
        : ['library', `${namespace}/${name}`];
  const { status, code, requestId, details } = error;
  return new ApiError({
    status,
    code,
    requestId,
    message: `There is no ${kind} ${library}, or none that you can see.`,
    details: { ...details, library },
  });
}
