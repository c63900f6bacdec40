import type { MadeCertificate } from '@bindery/contract';
import { CERTIFIED_KINDS, routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { type LibraryAddress, libraryParams, readQuery } from './library-address.ts';

/** Returns the certificates of an asset's files: the publisher's, the service's, both or none. */
export async function readCertificates(
  client: LibraryClient,
  address: LibraryAddress,
  { id, kind }: { id: string; kind: string },
  signal?: AbortSignal,
): Promise<readonly MadeCertificate[]> {
  if (!CERTIFIED_KINDS.has(kind)) return [];
  const { certificates = [] } = await client.call(routes.libraries.getAsset, {
    params: { ...libraryParams(address), assetId: id },
    query: { ...readQuery(address), certificates: 'true' },
    signal,
  });
  return certificates;
}
