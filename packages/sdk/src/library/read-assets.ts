import { forEachBounded } from '@bindery/concurrency/for-each';
import type { AssetDetail, LibraryDetail, Manifest, ManifestAsset, ManifestLibrary } from '@bindery/contract';
import { ASSET_ID, MANIFEST_HEADER, MANIFEST_SCHEMA, routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { libraryParams, type NumberedAddress, numberedQuery } from './library-address.ts';
import type { LibraryHead, RemoteLibrary } from './read-library.ts';
import type { SharedRecords } from './shared-records.ts';

/** For more assets than this the whole manifest is read. */
const MAX_ASSETS = 16;
const CONCURRENCY = 4;

/** Whether these are ids, not patterns, of few assets. */
export function areFewIds(assets: readonly string[] | undefined): assets is readonly string[] {
  return (
    assets !== undefined && assets.length <= MAX_ASSETS && assets.every((id) => ASSET_ID.pattern.test(id))
  );
}

/**
 * Reads assets of a library without the rest of its manifest, as a manifest that has only those that exist; nothing is
 * asked if the records know all of them. Returns null if the service does not say which manifest they are of, or if that
 * is not the one of the head.
 */
export async function readAssets(
  client: LibraryClient,
  address: NumberedAddress,
  { row, manifestSha256 }: LibraryHead,
  ids: readonly string[],
  { records = null, signal }: { records?: SharedRecords | null; signal?: AbortSignal | undefined },
): Promise<RemoteLibrary | null> {
  if (manifestSha256 === null) return null;
  const part = (manifest: Manifest) =>
    ({ row, manifest, manifestSha256, isPart: true, artifacts: new Map() }) as const;
  const known = await records?.assets(client.baseUrl, manifestSha256, ids);
  if (known) return part(known);
  const found = new Map<string, ManifestAsset>();
  let isSame = true;
  await forEachBounded([...new Set(ids)], { concurrency: CONCURRENCY, signal }, async (assetId, signal) => {
    try {
      const { body, headers } = await client.callWithHeaders(routes.libraries.getAsset, {
        params: { ...libraryParams(address), assetId },
        query: numberedQuery(address),
        ...(signal ? { signal } : {}),
      });
      if (headers[MANIFEST_HEADER] === manifestSha256) found.set(assetId, entryOf(body));
      else isSame = false;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'asset_not_found') throw error;
    }
  });
  if (!isSame) return null;
  const { checkManifest } = await import('./read-manifest.ts');
  const assets = ids.map((id) => found.get(id)).filter((asset) => asset !== undefined);
  const manifest = checkManifest({
    schema: MANIFEST_SCHEMA,
    library: libraryOf(row),
    assets,
  } satisfies Manifest);
  records?.writeAssets(client.baseUrl, manifestSha256, manifest);
  return part(manifest);
}

/** The entry of the manifest, except for the thumbnail, whose path a detail does not tell. */
function entryOf(detail: AssetDetail): ManifestAsset {
  const { id, title, description, category, tags, kind, format, license, attribution, upstream } = detail;
  const { entry, entryPoints, meta, files } = detail;
  return {
    ...stated({ id, title, description, category, kind, format, license, attribution, upstream, entry }),
    tags,
    entryPoints,
    meta,
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  };
}

function libraryOf(row: LibraryDetail): ManifestLibrary {
  const { type, title, description, provider, homepage, license, tags, upstreamRepo, upstreamCommit } = row;
  const upstream = stated({ repo: upstreamRepo, commit: upstreamCommit });
  return { ...stated({ type, title, description, provider, homepage, license }), tags, upstream };
}

type Stated<Facts> = { [Name in keyof Facts]: Exclude<Facts[Name], null> };

function stated<Facts extends object>(facts: Facts): Stated<Facts> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as Stated<Facts>;
}
