import { RELEASE_NAME } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import type { LibraryAddress, RevisionAddress } from '../../access/libraries.ts';

/** No release has this name. */
const NO_RELEASE = '';

/**
 * What a request reads, with the release of its query. It is needed before the query is parsed, to ask for access; what
 * cannot be the name of a release is, as in a path, the name of nothing.
 */
export function revisionAddress<Address extends LibraryAddress>(
  address: Address,
  { query }: FastifyRequest,
): Address & RevisionAddress {
  const { release } = query as { release?: unknown };
  if (release === undefined) return address;
  const isName = typeof release === 'string' && RELEASE_NAME.pattern.test(release);
  return { ...address, release: isName ? release : NO_RELEASE };
}
