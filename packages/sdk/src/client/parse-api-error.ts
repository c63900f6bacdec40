import { ApiError } from './errors.ts';

/** Converts a failed response to the error that it describes; errors of other stores are identified by status. */
export function parseApiError({
  status,
  headers,
  text,
  origin,
}: {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  text: string;
  origin: string;
}): ApiError {
  const { error, message, requestId, ...details } = parseObject(text);
  const seconds = parseRetryAfter(headers['retry-after']);
  return new ApiError({
    status,
    code: typeof error === 'string' ? error : `http_${status}`,
    message: typeof message === 'string' ? message : `${origin} responded with status ${status}.`,
    requestId: typeof requestId === 'string' ? requestId : (headers['x-request-id'] ?? null),
    details: seconds === null ? details : { ...details, retryAfterSeconds: seconds },
  });
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
