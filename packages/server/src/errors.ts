import { ERROR_STATUS, type ErrorCode } from '@bindery/contract';

/**
 * A failure that a use case reports deliberately. It has a code of the contract, a sentence for people, and the fields
 * that the code promises (`revision`, `paths`, `parameter`, …). Views map it to their protocol; anything else that is
 * thrown is a defect and leaves the server as `internal`, without its message.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The one error for what is missing and for what is hidden: clients must not be able to tell them apart. */
export function notFound(): ServiceError {
  return new ServiceError('not_found', 'Not found, or you do not have access.');
}

export function assetNotFound(): ServiceError {
  return new ServiceError('asset_not_found', 'The library has no asset with this id.');
}

/** A fault of the service: bytes that it acknowledged are missing or damaged. `what` names them for people. */
export function contentLost(what: string): ServiceError {
  return new ServiceError(
    'content_lost',
    `The service has lost ${what}: what it stored is damaged or missing. ` +
      'Anyone with a copy can restore it with "bindery library push --verify".',
  );
}

export function unknownPath(path: string): ServiceError {
  return new ServiceError('unknown_path', 'The manifest of this revision has no file at this path.', {
    path,
  });
}

export function preconditionFailed(message: string): ServiceError {
  return new ServiceError('precondition_failed', message);
}

export function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

export function invalidParameter(parameter: string, message: string): ServiceError {
  return new ServiceError('invalid_parameter', message, { parameter });
}

export function unsupportedMediaType(): ServiceError {
  return new ServiceError('unsupported_media_type', 'Send JSON, as "Content-Type: application/json".');
}

export function libraryInTrash(): ServiceError {
  return new ServiceError('library_in_trash', 'The library is in the Trash. Restore it first, or purge it.');
}

/** Not now, but in so many seconds. */
export function unavailable(message: string, retryAfter: number): ServiceError {
  return new ServiceError('unavailable', message, { retryAfter });
}

/** Another process changed the library or its store concurrently; nothing was changed here. */
export function changedMeanwhile(): ServiceError {
  return unavailable('The library was changed at the same time. Try again.', 1);
}

/** The presigned URL of an upload outlived the library that it was for. */
export function libraryPurged(): ServiceError {
  return new ServiceError('upload_not_found', 'The library was purged in the meantime. Ask for new URLs.');
}

export function invalidToken(): ServiceError {
  return new ServiceError('invalid_token', 'The token is not valid, or has expired. Sign in again.');
}

/** Why the service could not start: one sentence that says what is wrong, and one that says what to do. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
