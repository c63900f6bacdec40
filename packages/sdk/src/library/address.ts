import { LIBRARY_NAME, NAMESPACE_SLUG } from '@bindery/contract/wire';

/** Which library. `share` is a share token that opens it to whoever holds it. */
export interface LibraryAddress {
  namespace: string;
  name: string;
  share?: string | undefined;
}

/** Reads `ns/name`; null where it is none. */
export function parseLibraryAddress(text: string): LibraryAddress | null {
  const [namespace = '', name = '', ...more] = text.split('/');
  const valid =
    more.length === 0 && NAMESPACE_SLUG.pattern.test(namespace) && LIBRARY_NAME.pattern.test(name);
  return valid ? { namespace, name } : null;
}

export function formatLibraryAddress({ namespace, name }: LibraryAddress): string {
  return `${namespace}/${name}`;
}

/** The path parameters of the routes of a library. */
export function libraryParams({ namespace, name }: LibraryAddress): { namespace: string; name: string } {
  return { namespace, name };
}

/** The query of the routes that read a library. */
export function shareQuery({ share }: LibraryAddress): { share?: string } {
  return share === undefined ? {} : { share };
}
