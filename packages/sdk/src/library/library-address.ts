import { LIBRARY_NAME, NAMESPACE_SLUG, RELEASE_NAME } from '@bindery/contract/wire';

/** Names a library or one of its releases. */
export interface LibraryAddress {
  namespace: string;
  name: string;
  /** A share token, which gives access to anyone who has it. */
  share?: string | undefined;
  /** The release to read; without one, the current revision. Operations that change a library ignore it. */
  release?: string | undefined;
}

/** Names a library, one of its releases, or one of its revisions by number. */
export interface NumberedAddress extends LibraryAddress {
  revision?: number | undefined;
  /** The number of an open proposal: what it makes of the library. Not every request that reads a library takes it. */
  proposal?: number | undefined;
}

/** Parses `ns/name` or `ns/name@release`; returns null for anything else. */
export function parseLibraryAddress(text: string): LibraryAddress | null {
  const [library = '', release, ...moreReleases] = text.split('@');
  const [namespace = '', name = '', ...moreNames] = library.split('/');
  const valid =
    moreNames.length === 0 &&
    moreReleases.length === 0 &&
    NAMESPACE_SLUG.pattern.test(namespace) &&
    LIBRARY_NAME.pattern.test(name);
  if (!valid) return null;
  if (release === undefined) return { namespace, name };
  return RELEASE_NAME.pattern.test(release) ? { namespace, name, release } : null;
}

/** Names a library, one of its releases or revisions, or one asset of these. */
export interface AssetAddress extends NumberedAddress {
  /** As written: an id or, where it is allowed, a pattern. */
  asset?: string | undefined;
}

/** Parses `ns/name[@release][/asset]` or `ns/name#revision[/asset]`; returns null for anything else. */
export function parseAssetAddress(text: string): AssetAddress | null {
  const [, library = '', asset] = /^([^/]*\/[^/]*)(?:\/(.+))?$/s.exec(text) ?? [];
  const address = parseNumberedAddress(library);
  return address && (asset === undefined ? address : { ...address, asset });
}

/** Parses `ns/name`, `ns/name@release` or `ns/name#revision`; returns null for anything else. */
export function parseNumberedAddress(text: string): NumberedAddress | null {
  const [, library = '', number] = /^([^#]*)(?:#([1-9]\d{0,14}))?$/.exec(text) ?? [];
  const address = parseLibraryAddress(library);
  if (address === null || number === undefined) return address;
  return address.release === undefined ? { ...address, revision: Number(number) } : null;
}

/** The inverse of `parseNumberedAddress`. */
export function formatNumberedAddress({ revision, ...address }: NumberedAddress): string {
  const library = formatLibraryAddress(address);
  return revision === undefined ? library : `${library}#${revision}`;
}

/** Returns `ns/name`, or `ns/name@release` if there is a release. */
export function formatLibraryAddress({ namespace, name, release }: LibraryAddress): string {
  return release === undefined ? `${namespace}/${name}` : `${namespace}/${name}@${release}`;
}

/** The path parameters of the routes of a library. */
export function libraryParams({ namespace, name }: LibraryAddress): { namespace: string; name: string } {
  return { namespace, name };
}

/** The query of the routes that read a library. */
export function readQuery({ share, release }: Pick<LibraryAddress, 'share' | 'release'>): {
  share?: string;
  release?: string;
} {
  return { ...(share === undefined ? {} : { share }), ...(release === undefined ? {} : { release }) };
}

/** The query of the routes that also read a revision by its number. */
export function numberedQuery({
  revision,
  proposal,
  ...address
}: Pick<NumberedAddress, 'share' | 'release' | 'revision' | 'proposal'>): {
  share?: string;
  release?: string;
  revision?: string;
  proposal?: string;
} {
  return {
    ...readQuery(address),
    ...(revision === undefined ? {} : { revision: String(revision) }),
    ...(proposal === undefined ? {} : { proposal: String(proposal) }),
  };
}
