import { RELEASE_NAME } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import type { LibraryAddress, NumberedAddress, RevisionAddress } from '../../access/libraries.ts';

/** No release has this name. */
const NO_RELEASE = '';

/**
 * Adds the release in the query to the address of a library. Needed before the query is parsed, to check access; what
 * cannot be the name of a release counts as missing, as it would in a path.
 */
export function revisionAddress<Address extends LibraryAddress>(
  address: Address,
  { query }: Pick<FastifyRequest, 'query'>,
): Address & RevisionAddress {
  const { release } = query as { release?: unknown };
  if (release === undefined) return address;
  const isName = typeof release === 'string' && RELEASE_NAME.pattern.test(release);
  return { ...address, release: isName ? release : NO_RELEASE };
}

/** No revision or proposal has this number. */
const NO_NUMBER = 0;

/** Like `revisionAddress`, for routes that also accept the number of a revision, or of a proposal. */
export function numberedAddress<Address extends LibraryAddress>(
  address: Address,
  request: Pick<FastifyRequest, 'query'>,
): Address & NumberedAddress {
  const { revision, proposal } = request.query as { revision?: unknown; proposal?: unknown };
  return {
    ...revisionAddress(address, request),
    ...(revision !== undefined && { revision: numberOf(revision) }),
    ...(proposal !== undefined && { proposal: numberOf(proposal) }),
  };
}

function numberOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : NO_NUMBER;
}

/** Returns the address of the revision that another is compared with: `from` and `fromRelease` of the query. */
export function earlierAddress(address: LibraryAddress, request: FastifyRequest): NumberedAddress {
  const { from, fromRelease } = request.query as { from?: unknown; fromRelease?: unknown };
  const query = { revision: from, release: fromRelease };
  return numberedAddress(address, { query });
}

/**
 * Whether a request names a view; without one it gets the view of earlier clients. The name is validated with the rest
 * of the query, after access was checked.
 */
export function hasViewParameter({ query }: FastifyRequest): boolean {
  return (query as { view?: unknown }).view !== undefined;
}
