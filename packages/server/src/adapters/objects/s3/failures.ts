import { ServiceError } from '../../../errors.ts';
import { storageFull } from '../../../process/storage-full.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);
const FULL = new Set(['QuotaExceeded', 'InsufficientStorage', 'EntityTooLarge', 'UserQuotaExceeded']);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);
/** Errors with which a retry would fail again. */
const FINAL = new Set([
  'AccessDenied',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'NoSuchBucket',
  'SignatureDoesNotMatch',
  ...MISSING,
  ...FULL,
]);

/** An error response of an S3 store, as the SDK throws it. */
interface SdkError {
  name: string;
  message: string;
  $metadata?: { httpStatusCode?: number };
}

/** The store could not be reached or did not fulfil the request. `cause` is only for the log. */
export class StoreUnavailable extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'The object store is not answering correctly. Try again.', {
      retryAfter: RETRY_AFTER,
    });
    this.cause = cause;
  }
}

/**
 * Converts an error of the SDK to one of the port: `ENOENT` if something is missing, otherwise one that clients
 * understand.
 */
export function failureOf(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const { name, message } = error as SdkError;
  if (isMissingAnswer(error))
    return Object.assign(new Error(`the object store has none: ${name}`), { code: 'ENOENT' });
  if (FULL.has(name) || statusOf(error) === 507) return storageFull(`The object store is full (${name}).`);
  return new StoreUnavailable(new Error(`${name}: ${message}`, { cause: error }));
}

/** Says for operators why a bucket could not be opened; `error` is what its requests threw. */
export function bucketFailure(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'there is no such bucket';
  const { cause, message } = error as Error;
  const said = (cause as Error | undefined)?.cause;
  if ((said as SdkError | undefined)?.name === 'NoSuchBucket') return 'there is no such bucket';
  if (statusOf(said) === 403) return 'the credentials are not accepted, or do not give access to it (403)';
  const { code } = (said ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && UNREACHABLE.has(code)) return `nothing answers there (${code})`;
  return cause instanceof Error ? cause.message : message;
}

/** Whether a retry might succeed. */
export function isRetryable(error: unknown): boolean {
  return !FINAL.has((error as SdkError).name) && ![403, 404, 507].includes(statusOf(error) ?? 0);
}

function isMissingAnswer(error: unknown): boolean {
  return (
    MISSING.has((error as SdkError).name) ||
    (statusOf(error) === 404 && (error as SdkError).name !== 'NoSuchBucket')
  );
}

function statusOf(error: unknown): number | undefined {
  return (error as SdkError | undefined)?.$metadata?.httpStatusCode;
}
