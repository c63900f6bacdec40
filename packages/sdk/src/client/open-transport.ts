import { MIN_TRANSFER_RATE } from '@bindery/contract/wire';
import { DirectTransport, isShort } from './direct-transport.ts';
import type { MinimumTransferRate } from './minimum-rate.ts';
import type { Transport } from './transport.ts';
import { openUndiciTransport, readProxies } from './undici-transport.ts';

export interface TransportOptions {
  /** Maximum connections to one server. */
  connections?: number;
  /** Milliseconds within which a connection must be established. */
  connectTimeout?: number;
  /** Minimum rate of transfers, where it differs from the default; null: no minimum. */
  minimumRate?: Partial<MinimumTransferRate> | null | undefined;
}

const DEFAULT_MINIMUM_RATE: MinimumTransferRate = {
  rate: MIN_TRANSFER_RATE,
  sendWindow: 60_000,
  receiveWindow: 20_000,
};
/** A service may take four minutes for the register of a large library. */
const HEAD_TIMEOUT = { read: 30_000, write: 300_000 };

/**
 * Keep-alive HTTP that honours `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; additional certificate
 * authorities come from `NODE_EXTRA_CA_CERTS`, which Node reads itself. If the environment names no proxy, `sendTo`
 * sends everything but uploads over our own connections. Throws `SettingError` for a proxy that is not an address.
 */
export function openTransport(options: TransportOptions = {}): Transport {
  const { connections = 32, connectTimeout = 10_000, minimumRate } = options;
  const limits = {
    connectTimeout,
    minimumRate: minimumRate === null ? null : { ...DEFAULT_MINIMUM_RATE, ...minimumRate },
    headTimeout: HEAD_TIMEOUT,
  };
  const proxies = readProxies(process.env);
  const general = openUndiciTransport({ ...limits, connections, proxies });
  const unproxied = openUndiciTransport({ ...limits, connections, proxies: { ...proxies, noProxy: '*' } });
  const direct = new DirectTransport(limits);
  const hasProxies = proxies.httpProxy !== '' || proxies.httpsProxy !== '';
  const isDirect = (url: string) => !hasProxies || proxies.isInDirectRange(url);
  return {
    send: (request) => (isDirect(request.url) ? unproxied : general).send(request),
    sendTo(request, sink) {
      if (!isDirect(request.url)) return general.sendTo(request, sink);
      return isShort(request) ? direct.sendTo(request, sink) : unproxied.sendTo(request, sink);
    },
    preconnect: (url) => {
      if (isDirect(url)) direct.preconnect(new URL(url));
    },
    async close() {
      direct.close();
      await Promise.all([general.close(), unproxied.close()]);
    },
  };
}
