import { ServiceError } from '../errors.ts';

/** A fault of the service: bytes that it acknowledged are gone or damaged. `what` names them for people. */
export function contentLost(what: string): ServiceError {
  return new ServiceError(
    'content_lost',
    `The service has lost ${what}: what it stored is damaged or missing. ` +
      'Whoever has a copy can put it back with "bindery library push --verify".',
  );
}
