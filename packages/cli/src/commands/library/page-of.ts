import type { Client, LibraryAddress } from '@bindery/sdk';

/** Returns the address of a library's page in the dashboard. */
export function pageOf(
  { baseUrl }: Pick<Client, 'baseUrl'>,
  { namespace, name }: LibraryAddress,
  share?: string,
): string {
  const query = share === undefined ? '' : `?${new URLSearchParams({ share })}`;
  return `${baseUrl}/app/${namespace}/${name}${query}`;
}
