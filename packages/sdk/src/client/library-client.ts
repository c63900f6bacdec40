import type { Callable } from '@bindery/contract';
import type { Caller, CallRequest } from './call.ts';

/** Bytes on their way out, wherever they come from: memory, a file of a browser, a stream of Node. */
export type UploadBody = Uint8Array | Blob | AsyncIterable<Uint8Array>;

/** Bytes for the store of objects, by a presigned URL. */
export interface PutRequest {
  /** Absolute, or relative to the service's address. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: UploadBody;
  /** Of the body, in bytes. */
  size: number;
  signal?: AbortSignal | undefined;
}

/** What planning and publishing a revision asks of a client, in Node and in browsers. */
export interface LibraryClient extends Caller {
  readonly baseUrl: string;
  /** Calls a route and answers the body's bytes untouched. */
  raw<R extends Callable>(
    route: R,
    request: CallRequest<R>,
  ): Promise<{ bytes: Uint8Array; etag: string | null }>;
  /** Reads what a presigned URL names, at most `limit` bytes. */
  download(request: { url: string; signal?: AbortSignal }, limit: number): Promise<Uint8Array>;
  /** Sends bytes to a presigned URL, and resolves to the headers of the answer, by lower-case name. */
  put(request: PutRequest): Promise<Readonly<Record<string, string>>>;
}
