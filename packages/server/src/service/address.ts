/** Writes a host and a port as in a URL: an IPv6 address is enclosed in brackets. */
export function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
