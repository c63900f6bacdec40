import { AsyncLocalStorage } from 'node:async_hooks';

/** Writes a host and a port as in a URL: an IPv6 address is enclosed in brackets. */
export function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a service that listens on a host can be reached by every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the origin by which a service can be reached from its own machine. */
export function localOrigin(host: string, port: number): string {
  return `http://${formatAddress(isEveryAddress(host) ? 'localhost' : host, port)}`;
}

/** A host name or an address, with or without a port. */
const HOST = /^(?:[\w](?:[\w.-]{0,251}\w)?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The origin by which the client of the running request reached the service, for what goes back to that client alone:
 * clients choose the `Host` that they send. Never for checks, or for what others read.
 */
export class ReachedOrigin {
  readonly #origin = new AsyncLocalStorage<string | null>();

  /** Returns null outside of requests, and for a request that names no proper host. */
  get(): string | null {
    return this.#origin.getStore() ?? null;
  }

  /** Runs a part of a request. */
  during({ protocol, host }: { protocol: string; host: string }, work: () => void): void {
    this.#origin.run(HOST.test(host) ? `${protocol}://${host}` : null, work);
  }
}
