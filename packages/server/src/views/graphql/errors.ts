import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { ServiceError } from '../../errors.ts';
import { lackOfResources } from '../../process/lack-of-resources.ts';

/** The codes that errors carry in `extensions.code`. */
export type GraphqlErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'TOO_COMPLEX'
  | 'STORAGE_FULL'
  | 'UNAVAILABLE'
  | 'INTERNAL';

export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'TOO_COMPLEX' satisfies GraphqlErrorCode } });
}

/** A request that is not JSON or has no query. Not a `GraphQLError`, so that its status is 400. */
export class MalformedRequest extends Error {}

/** Returns the error as a client may see it: with a code, and without internal details. */
export function presentError(error: unknown, report: (cause: unknown) => void): GraphQLError {
  if (error instanceof MalformedRequest) {
    return new GraphQLError(error.message, { extensions: { code: 'BAD_USER_INPUT' } });
  }
  if (!(error instanceof GraphQLError)) {
    report(error);
    return internal();
  }
  const { originalError: cause, path, extensions } = error;
  const at: GraphQLErrorOptions = {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path,
  };
  if (cause instanceof ServiceError && cause.status < 500) {
    return new GraphQLError(cause.message, { ...at, extensions: { code: codeOf(cause), ...cause.details } });
  }
  const lack = lackOfResources(cause);
  if (lack !== null) {
    report(cause);
    return new GraphQLError(lack.message, { ...at, extensions: { code: codeOf(lack), ...lack.details } });
  }
  if (typeof extensions.code === 'string') return error;
  const fault = cause !== undefined && cause !== null && !(cause instanceof GraphQLError);
  if (fault) {
    report(cause);
    return internal(at);
  }
  return new GraphQLError(error.message, { ...at, extensions: { code: 'BAD_USER_INPUT' } });
}

/** Orders errors by their place in the query and its lists, whichever field failed first. */
export function byPlace(left: GraphQLError, right: GraphQLError): number {
  const inQuery = (left.positions?.[0] ?? 0) - (right.positions?.[0] ?? 0);
  if (inQuery !== 0) return inQuery;
  const pairs = (left.path ?? []).map((step, index) => [Number(step), Number(right.path?.[index])] as const);
  return pairs.map(([one, other]) => one - other).find((difference) => difference) ?? 0;
}

function codeOf({ status }: ServiceError): GraphqlErrorCode {
  switch (status) {
    case 503:
      return 'UNAVAILABLE';
    case 507:
      return 'STORAGE_FULL';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'FORBIDDEN';
    case 404:
      return 'NOT_FOUND';
    default:
      return 'BAD_USER_INPUT';
  }
}

function internal(at: GraphQLErrorOptions = {}): GraphQLError {
  return new GraphQLError('Something went wrong on the server.', { ...at, extensions: { code: 'INTERNAL' } });
}
