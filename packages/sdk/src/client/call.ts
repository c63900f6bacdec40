import type { BodyInputOf, Callable, ParamsInputOf, QueryInputOf, ResponseOf } from '@bindery/contract';
import type { RetryPolicy } from './retry.ts';

/** What goes into a request; a part that the route does not have may not be given. */
export type CallRequest<R extends Callable> = Part<'params', ParamsInputOf<R>> &
  Part<'query', QueryOf<QueryInputOf<R>>> &
  Part<'body', BodyInputOf<R>> &
  CallOptions;

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Whether the request may be repeated after a broken connection; by default GET and PUT may. */
  idempotent?: boolean;
  /** In place of the client's policy. */
  retry?: RetryPolicy;
  /** The most bytes of the answer that are read. */
  maxBytes?: number;
}

type Part<Name extends string, Value> = [Value] extends [null | undefined]
  ? { [N in Name]?: undefined }
  : Record<string, never> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** Query values are written as text; numbers may be given as such. */
type QueryOf<Query> = {
  [Name in keyof Query]: unknown extends Query[Name] ? string | number | undefined : Query[Name] | number;
};

export interface AnswerOf<R extends Callable> {
  body: ResponseOf<R>;
  headers: Readonly<Record<string, string>>;
}

/** Calls routes of a service: in Node over undici, in browsers over fetch. */
export interface Caller {
  /** Calls a route and answers its parsed body. Throws `ApiError`, `NetworkError` or `UnexpectedAnswerError`. */
  call<R extends Callable>(route: R, request: CallRequest<R>): Promise<ResponseOf<R>>;
  /** The same with the headers of the answer. */
  callWithHeaders<R extends Callable>(route: R, request: CallRequest<R>): Promise<AnswerOf<R>>;
}
