import type { Route } from '@bindery/contract';

/** The port to where bodies are read: large ones away from the event loop, in bounded time and memory. */
export interface BodyReader {
  /**
   * The value of a route's body; the memory of `bytes` is given away. Throws what is wrong with it, and `unavailable`
   * where there is too much to read.
   */
  read(route: Route, bytes: Uint8Array): Promise<unknown>;

  close(): Promise<void>;
}
