import type { PresignedFile, Visibility } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { queryOptions } from '@tanstack/react-query';
import { readPresigned } from '../../files/asset-files.ts';
import { addressesOf, imagePathOf, pathOf, rawAddress } from '../../files/readme-links.ts';
import { assetMessages } from '../../messages/asset.ts';
import type { ReadmeSource } from '../../parts/readme.tsx';
import { type LibraryKey, libraryQuery, requestOf } from '../../queries.ts';
import { service } from '../../session.ts';
import { stringifySearch } from '../../url.ts';

/** At most this many images, and links, of a README are looked up in its library. */
const MAX_PICTURES = 24;
const MAX_LINKS = 48;
const README = 'README.md';

/** The README of a library at one revision; null if it has none, or one that is too long for a page. */
export const libraryReadmeQuery = (key: LibraryKey, revision: number | undefined) =>
  queryOptions({
    queryKey: [...libraryQuery(key).queryKey, 'readme', revision],
    queryFn: ({ signal }) => findReadme(key, signal),
    enabled: revision !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

async function findReadme(key: LibraryKey, signal?: AbortSignal): Promise<PresignedFile | null> {
  const { params, query } = requestOf(key);
  const request = { params, query: { ...query, readme: 'true' as const }, ...(signal && { signal }) };
  const { readme } = await service.call(routes.libraries.getLibrary, request);
  return readme && readme.size <= LIMITS.readmeBytes ? readme : null;
}

async function currentReadme(key: LibraryKey): Promise<PresignedFile> {
  const readme = await findReadme(key);
  if (readme === null) throw new Error(assetMessages.notFetched(README));
  return readme;
}

/**
 * The README's images and links lead to files of the library's assets, with paths relative to the library's root folder;
 * links to an asset's folder or README lead to its page.
 */
export function libraryReadmeSource(
  key: LibraryKey,
  file: PresignedFile,
  visibility: Visibility,
): ReadmeSource {
  // For a member, a file of a private library has no address that lasts.
  const hasAddress = visibility === 'public' || key.share !== undefined;
  return {
    of: libraryQuery(key).queryKey,
    file,
    read: (signal) => readPresigned(file, () => currentReadme(key), signal),
    pictures: (hrefs, signal) =>
      addressesOf(hrefs.slice(0, MAX_PICTURES), (href) => {
        const path = imagePathOf(README, href);
        return path === null ? null : urlOf(key, path, signal);
      }),
    links: (hrefs, signal) =>
      addressesOf(hrefs.slice(0, MAX_LINKS), async (href) => {
        const path = pathOf(README, href);
        if (!path) return null;
        const page = await assetPageOf(key, path, signal);
        return page ?? (hasAddress ? rawAddress(key, path) : urlOf(key, path, signal));
      }),
  };
}

/** The page of the asset whose folder or README this is, if it has the folder's name; else null. */
async function assetPageOf(key: LibraryKey, path: string, signal: AbortSignal): Promise<string | null> {
  const [folder = ''] = /^[^.]*$|^.*(?=\/readme\.\w+$)/i.exec(path) ?? [];
  const assetId = folder.slice(folder.lastIndexOf('/') + 1);
  if (assetId === '') return null;
  const { namespace, library, share, release } = key;
  const params = { namespace, name: library, assetId };
  const found = await service
    .call(routes.libraries.getAsset, { params, query: readQuery(key), signal })
    .catch(() => null);
  return found && `/app/${namespace}/${library}/${found.id}${stringifySearch({ share, release })}`;
}

/** Returns null if the library has no such file or the request fails. */
async function urlOf(key: LibraryKey, path: string, signal: AbortSignal): Promise<string | null> {
  const request = { ...requestOf(key), body: { paths: [path] }, signal };
  const answer = await service.call(routes.libraries.presignFiles, request).catch(() => null);
  return answer?.files[0]?.url ?? null;
}
