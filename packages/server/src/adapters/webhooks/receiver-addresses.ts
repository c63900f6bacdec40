import { BlockList, isIP } from 'node:net';

/** Networks by their names in settings. */
const NAMED: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * IPv4 networks that are not part of the public internet.
 *
 * Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890), and multicast.
 */
const SPECIAL_IPV4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/**
 * The public part of IPv6: global unicast, except special-purpose networks and those that embed an IPv4 address.
 *
 * Source: IANA IPv6 Special-Purpose Address Registry (RFC 6890).
 */
const GLOBAL_IPV6 = networks(['2000::/3']);
const SPECIAL_IPV6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Where webhooks can be sent: the public internet, and the networks that the operator adds. */
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

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL_IPV4.check(address, 'ipv4');
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
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
