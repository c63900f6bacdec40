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
