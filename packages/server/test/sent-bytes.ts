import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Counts the bytes that servers of this process send over connections made from now on. */
export class SentBytes {
  readonly #sockets = new Set<Socket>();
  readonly #note = (message: unknown) => this.#sockets.add((message as { socket: Socket }).socket);

  constructor() {
    subscribe('net.server.socket', this.#note);
  }

  get total(): number {
    return [...this.#sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  }

  [Symbol.dispose](): void {
    unsubscribe('net.server.socket', this.#note);
  }
}
