import { ApiError } from './errors.ts';

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
  return new ApiError({
    status,
    code: typeof error === 'string' ? error : `http_${status}`,
    message: typeof message === 'string' ? message : describeForeignFailure(response),
    requestId: typeof requestId === 'string' ? requestId : (headers['x-request-id'] ?? null),
    details: seconds === null ? details : { ...details, retryAfterSeconds: seconds },
  });
}

/** Describes a failure that the service did not report: one of an S3 store, which sends XML, or of a proxy. */
function describeForeignFailure({ status, headers, text, origin }: FailedResponse): string {
  if (status === 407)
    return 'The proxy asks for a user name and password. Put them into HTTP_PROXY or HTTPS_PROXY: http://user:password@host:port.';
  const stored = /<Error>[\s\S]*<Code>(\w{1,60})<\/Code>/.exec(text)?.[1];
  if (stored !== undefined) return `${origin} responded with status ${status} (${stored}).`;
  const type = headers['content-type']?.split(';')[0];
  const sender = headers.server === undefined ? null : `from ${headers.server}`;
  const what = [type, sender].filter(Boolean).join(' ').slice(0, 120);
  return (
    `${origin} responded with status ${status}${what === '' ? '' : ` (${what})`}, but not as a Bindery service: ` +
    'a proxy on the way may have refused the request.'
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
