import type { ErrorCode } from '@bindery/contract';

/** The service returned an error. `details` holds the fields of the body other than code, message and request id. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of the contract. A newer service or a proxy may send others; `http_<status>` stands for a missing code. */
  readonly code: ErrorCode | (string & {});
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    requestId: string | null;
    details?: Record<string, unknown>;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.details = answer.details ?? {};
  }
}

/** No usable response: refused, unknown host, reset, timed out, TLS. `origin` names the server, never a query. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly origin: string;
  /** The service that gave out the address, if it is not the service's own. */
  givenBy: string | null = null;
  /** The system's or the client library's code (`ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, …), if there is one. */
  readonly reason: string | null;

  constructor(origin: string, message: string, options: { reason: string | null; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.origin = origin;
    this.reason = options.reason;
  }
}

/** The other end responded, but not as a Bindery service of this version does. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';
  readonly origin: string;
  /** Whether the same request may be answered properly a moment later, as after a response that a proxy cut short. */
  readonly isTransient: boolean;

  constructor(origin: string, message: string, { isTransient = false }: { isTransient?: boolean } = {}) {
    super(message);
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
