import type { BodyInputOf, Callable, ParamsInputOf, QueryInputOf, ResponseOf } from '@bindery/contract';
import type { RetryPolicy } from './retry.ts';

/** The inputs of a request; parts that the route does not have cannot be given. */
export type CallRequest<R extends Callable> = Part<'params', ParamsInputOf<R>> &
  Part<'query', QueryOf<QueryInputOf<R>>> &
  Part<'body', BodyInputOf<R>> &
  CallOptions;

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Whether the request may be repeated after a broken connection; by default GET and PUT may. */
  idempotent?: boolean;
  /** Overrides the client's policy. */
  retry?: RetryPolicy;
  /** Maximum bytes of the response; a longer one is an error. */
  maxBytes?: number;
}

type Part<Name extends string, Value> = [Value] extends [null | undefined]
  ? { [N in Name]?: undefined }
  : Record<string, never> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** Query values are sent as text; numbers can be given as numbers. */
type QueryOf<Query> = {
  [Name in keyof Query]: unknown extends Query[Name] ? string | number | undefined : Query[Name] | number;
};

export interface CallResponse<R extends Callable> {
  body: ResponseOf<R>;
  headers: Readonly<Record<string, string>>;
}

/** Calls routes of a service: in Node over a `Transport`, in browsers over `fetch`. */
export interface Caller {
  /** Calls a route and returns its parsed body. Throws `ApiError`, `NetworkError` or `UnexpectedResponseError`. */
  call<R extends Callable>(route: R, request: CallRequest<R>): Promise<ResponseOf<R>>;
  /** Like `call`, and also returns the response headers. */
  callWithHeaders<R extends Callable>(route: R, request: CallRequest<R>): Promise<CallResponse<R>>;
}

/** A body to upload: from memory, from a file in a browser, or from a stream in Node. */
export type UploadBody = Uint8Array | Blob | AsyncIterable<Uint8Array>;

/** An upload to the object store, by a presigned URL. */
export interface PutRequest {
  /** Absolute, or relative to the service's address. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: UploadBody;
  /** Size of the body in bytes. */
  size: number;
  signal?: AbortSignal | undefined;
}

/** What planning and publishing a revision needs from a client, in Node and in browsers. */
export interface LibraryClient extends Caller {
  readonly baseUrl: string;
  /** Calls a route and returns the body's bytes unparsed. */
  raw<R extends Callable>(
    route: R,
    request: CallRequest<R>,
  ): Promise<{ bytes: Uint8Array; etag: string | null }>;
  /** Downloads the object of a presigned URL, at most `limit` bytes. */
  download(request: { url: string; signal?: AbortSignal }, limit: number): Promise<Uint8Array>;
  /** Uploads bytes to a presigned URL. Resolves to the response headers, by lower-case name. */
  put(request: PutRequest): Promise<Readonly<Record<string, string>>>;
}
