import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import { storageFull } from '../../../process/lack-of-resources.ts';

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
  'UND_ERR_CONNECT_TIMEOUT',
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

/** Attempts at a request, and at resuming a read without any progress. */
export const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;

/** An error response of an S3 store; its name is the code of the error. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = code;
    this.status = status;
  }
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
 * Converts a failed request to an error of the port: `ENOENT` if something is missing, otherwise one that clients
 * understand.
 */
export function failureOf(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const { name, message } = error as Error;
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
  if ((said as Error | undefined)?.name === 'NoSuchBucket') return 'there is no such bucket';
  if (statusOf(said) === 403) return 'the credentials are not accepted, or do not give access to it (403)';
  const { code } = (said ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && UNREACHABLE.has(code)) return `nothing answers there (${code})`;
  return cause instanceof Error ? cause.message : message;
}

/** Whether a retry might succeed. */
export function isRetryable(error: unknown): boolean {
  return !FINAL.has((error as Error).name) && ![403, 404, 507].includes(statusOf(error) ?? 0);
}

function isMissingAnswer(error: unknown): boolean {
  return (
    MISSING.has((error as Error).name) ||
    (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket')
  );
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Refusal ? error.status : undefined;
}

/** Repeats a request until it succeeds, fails permanently, or has failed `times` times. */
export async function withRetries<Answer>(
  send: () => Promise<Answer>,
  times = MAX_ATTEMPTS,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= times || !isRetryable(error)) throw failureOf(error);
      await backOff(attempt);
    }
  }
}

/** Waits longer after each attempt, with random jitter so that clients do not retry in step. */
export function backOff(attempt: number): Promise<void> {
  return sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
}
