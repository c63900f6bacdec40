import type { lookup } from 'node:dns';
import { ImportError, type Reach } from '@bindery/sdk/import';
import { allowedLookup, literalOf, ReceiverAddresses } from '../allowed-addresses.ts';

export interface ReachSettings {
  /** Hosts of sources and of what they redirect to; `*.example.org` is all below it. */
  hosts: readonly string[];
  /** Networks that they can be in besides the public internet. */
  networks: readonly string[];
}

/**
 * Where imports may go: to the hosts that the operator named, over HTTPS, at addresses of the public internet or of the
 * networks that the operator added; there, a host that is named by its address can also be without HTTPS.
 */
export function createReach({ hosts, networks }: ReachSettings, resolve?: typeof lookup): Reach {
  const addresses = new ReceiverAddresses(networks);
  return {
    require(url) {
      const { hostname, protocol } = url;
      const host = hostname.replace(/^\[|\]$/g, '');
      const isNamed = hosts.some((entry) =>
        entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry,
      );
      if (!isNamed) throw refused(`${host} is not among the hosts of BINDERY_IMPORT_HOSTS`);
      const address = literalOf(url);
      if (address !== null && !addresses.isAllowed(address))
        throw refused(
          `${host} is not of the public internet, and BINDERY_IMPORT_NETWORKS does not name its network`,
        );
      if (protocol !== 'https:' && !(protocol === 'http:' && address !== null && addresses.isOwn(address)))
        throw refused(`${url.protocol}//${host} is not reached over HTTPS`);
    },
    lookup: allowedLookup((address) => addresses.isAllowed(address), resolve),
  };
}

function refused(why: string): ImportError {
  return new ImportError('source_refused', `${why}.`);
}
