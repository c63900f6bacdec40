import { BlockList, isIP } from 'node:net';
import { SettingError } from '../failures.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which proxies requests go through. */
export interface Proxies {
  /** Addresses by the scheme of the requests that they pass on; empty: none. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached without a proxy, as `NO_PROXY` lists them, without its address ranges. */
  readonly noProxy: string;
  /** Whether the host of a URL is an address within a range of `NO_PROXY`, such as `10.0.0.0/8`. */
  isInDirectRange(url: string): boolean;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` in place of one that is missing, and `NO_PROXY`, in either letter case.
 * As elsewhere, an address without a scheme is `http://`. Throws `SettingError`.
 */
export function readProxies(environment: Environment): Proxies {
  const read = (...names: string[]) => {
    const name = names.find((candidate) => environment[candidate] !== undefined);
    return name === undefined ? '' : proxyAddress(name, environment[name]?.trim() ?? '');
  };
  const entries = (environment.no_proxy ?? environment.NO_PROXY ?? '').split(/[\s,]+/).filter(Boolean);
  const ranges = new BlockList();
  const hosts = entries.filter((entry) => !addRange(ranges, entry));
  return {
    httpProxy: read('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'),
    httpsProxy: read('https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'),
    noProxy: hosts.join(','),
    isInDirectRange(url) {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      return isIP(host) !== 0 && ranges.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

function addRange(ranges: BlockList, entry: string): boolean {
  const [address = '', prefix = ''] = entry.split('/', 2);
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 6 ? 128 : 32)) return false;
  ranges.addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  return true;
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** The address may contain a password, so the message does not repeat it. */
function proxyAddress(name: string, setting: string): string {
  if (setting === '') return '';
  const address = setting.includes('://') ? setting : `http://${setting}`;
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  // The proxy looks up host names either way.
  if (SCHEMES.has(protocol) && hostname !== '') return address.replace(/^socks5h:/, 'socks5:');
  throw new SettingError(
    `${name}: it must be the address of a proxy, such as http://proxy.example.org:3128 or socks5://proxy.example.org:1080.`,
  );
}
