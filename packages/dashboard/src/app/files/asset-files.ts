import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { retryWhileUnreachable, unreachable } from '../connection.ts';
import { assetMessages } from '../messages/asset.ts';
import { assetQuery, type LibraryKey } from '../queries.ts';
import { queries } from '../session.ts';
import { sha256 } from './sha256.ts';

/** Returns the bytes of one of an asset's files, checked against the size and hash recorded in its library. */
export async function readAssetFile(
  library: LibraryKey,
  asset: Pick<AssetDetail, 'id' | 'files'>,
  path: string,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const renew = async () => {
    const fresh = await queries.fetchQuery({ ...assetQuery(library, asset.id), staleTime: 0 });
    return findFile(fresh, path);
  };
  return readPresigned(findFile(asset, path), renew, signal);
}

/**
 * Returns the bytes of a file, checked against the size and hash recorded in its library. Its URL may have expired while
 * the page was open; `renew` returns the file with a fresh one.
 */
export async function readPresigned(
  file: PresignedFile,
  renew: () => Promise<PresignedFile>,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const response = await fetchPresigned(file.url, signal);
  if (response.ok) return verified(file, await response.arrayBuffer());
  const renewed = await renew();
  const again = await fetchPresigned(renewed.url, signal);
  if (!again.ok) throw new Error(assetMessages.notFetched(file.path));
  return verified(renewed, await again.arrayBuffer());
}

/** Returns a URL of one of an asset's files that stays valid for minutes. */
export async function currentUrl(library: LibraryKey, assetId: string, path: string): Promise<string> {
  return findFile(await queries.fetchQuery(assetQuery(library, assetId)), path).url;
}

export function findFile({ files }: Pick<AssetDetail, 'files'>, path: string): PresignedFile {
  const file = files.find((one) => one.path === path);
  if (!file) throw new Error(assetMessages.notFetched(path));
  return file;
}

/** Retries while the store is unreachable. */
function fetchPresigned(url: string, signal: AbortSignal | undefined): Promise<Response> {
  return retryWhileUnreachable(async () => {
    const response = await fetch(url, { credentials: 'omit', signal: signal ?? null }).catch((cause) => {
      throw unreachable(new URL(url, location.href).origin, cause);
    });
    if (response.status === 502 || response.status === 504)
      throw unreachable(new URL(url, location.href).origin);
    return response;
  }, signal);
}

async function verified(
  { path, size, sha256: named }: PresignedFile,
  bytes: ArrayBuffer,
): Promise<ArrayBuffer> {
  if (bytes.byteLength === size && (await sha256(bytes)) === named) return bytes;
  throw new Error(assetMessages.damaged(path));
}
