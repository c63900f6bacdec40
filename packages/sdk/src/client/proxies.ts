import { SettingError } from '../failures.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Addresses of proxies, by the scheme of the requests that they pass on; empty: none. */
export interface Proxies {
  httpProxy: string;
  httpsProxy: string;
}

/**
 * Reads `HTTP_PROXY` and `HTTPS_PROXY`, in either letter case. As elsewhere, an address without a scheme is `http://`.
 * Throws `SettingError`.
 */
export function readProxies(environment: Environment): Proxies {
  const read = (...names: [string, string]) => {
    const name = names.find((candidate) => environment[candidate] !== undefined);
    return name === undefined ? '' : proxyAddress(name, environment[name]?.trim() ?? '');
  };
  return { httpProxy: read('http_proxy', 'HTTP_PROXY'), httpsProxy: read('https_proxy', 'HTTPS_PROXY') };
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:']);

/** The address may contain a password, so the message does not repeat it. */
function proxyAddress(name: string, setting: string): string {
  if (setting === '') return '';
  const address = setting.includes('://') ? setting : `http://${setting}`;
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  if (SCHEMES.has(protocol) && hostname !== '') return address;
  throw new SettingError(`${name}: it must be the address of a proxy, such as http://proxy.example.org:3128`);
}
