import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns the caller behind an address: for IPv6, the /64, which belongs to a single site. */
export function callerOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
