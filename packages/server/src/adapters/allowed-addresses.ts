import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** None of the addresses of a name may be connected to. */
export class NotAllowed extends Error {}

/** Returns a look-up that finds only those addresses of a name that may be connected to; with none, `NotAllowed`. */
export function allowedLookup(
  isAllowed: (address: string) => boolean,
  resolve: typeof lookup = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) return callback(new NotAllowed(), '', 0);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** Returns the IP address that a URL contains literally, which is never looked up; null if it contains a name. */
export function literalOf({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** Networks by their names in settings. */
const NAMED: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Global unicast: the only part of IPv6 that is allocated. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Where this service connects to for others: the public internet, and the networks that the operator adds. */
export class ReceiverAddresses {
  readonly #allowed: BlockList;
  /** Whether the operator added any network. */
  readonly hasOwn: boolean;

  /** `allowed`: addresses, CIDR blocks and names of networks. */
  constructor(allowed: readonly string[]) {
    this.hasOwn = allowed.length > 0;
    this.#allowed = networks(allowed.flatMap((network) => NAMED[network] ?? [network]));
  }

  /** Whether the operator added the network of an address. */
  isOwn(address: string): boolean {
    return this.#allowed.check(address, familyOf(address));
  }

  isAllowed(address: string): boolean {
    return this.isOwn(address) || isPublic(address);
  }
}

/** Whether an address is one of the public internet: none of the special-purpose networks of RFC 6890. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

function networks(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    const family = familyOf(address);
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
