import { routes } from '@bindery/contract/wire';
import { ApiError, type Client, type LibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import { usageError } from '../../output/command-error.ts';

/**
 * Returns a licence in the letter case that libraries use: `MIT` for `mit`. Null if none of them has it. The service
 * compares exactly.
 */
export async function findLicenseSpelling(
  client: Client,
  libraries: readonly LibraryAddress[],
  typed: string,
): Promise<string | null> {
  const folded = typed.toLowerCase();
  const licenses = await licensesOfLibraries(client, libraries);
  const spellings = licenses.filter((license) => license.toLowerCase() === folded);
  if (spellings.length > 1) {
    throw usageError(`--license ${typed} could be ${spellings.join(' or ')}.`, 'Use the exact spelling.');
  }
  return spellings[0] ?? null;
}

export async function licensesOfLibraries(
  client: Client,
  libraries: readonly LibraryAddress[],
): Promise<string[]> {
  const found = await Promise.all(libraries.map((address) => licensesOf(client, address)));
  return [...new Set(found.flat())];
}

async function licensesOf(client: Client, address: LibraryAddress): Promise<string[]> {
  try {
    const { licenses } = await client.call(routes.libraries.getLibrary, {
      params: libraryParams(address),
      query: readQuery(address),
    });
    return licenses;
  } catch (error) {
    // A search over several libraries leaves out those that do not exist.
    if (error instanceof ApiError && error.code === 'not_found') return [];
    throw error;
  }
}
