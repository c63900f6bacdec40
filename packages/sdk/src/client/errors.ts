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

  constructor(origin: string, message: string) {
    super(message);
    this.origin = origin;
  }
}
