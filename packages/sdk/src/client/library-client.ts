import type { Callable } from '@bindery/contract';
import type { Caller, CallRequest } from './call.ts';

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
