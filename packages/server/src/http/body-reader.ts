import type { Route } from '@bindery/contract';

/** The port for reading request bodies: large ones off the event loop, in bounded time and memory. */
export interface BodyReader {
  /**
   * Returns the value of a route's body. Takes ownership of the memory of `bytes`. Throws the body's error, and
   * `unavailable` if there is too much to read.
   */
  read(route: Route, bytes: Uint8Array): Promise<unknown>;

  close(): Promise<void>;
}
