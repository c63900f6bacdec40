import { hash } from 'node:crypto';
import type { Manifest } from '@bindery/contract';
import {
  CERTIFIED_KINDS,
  DEFAULT_KIND,
  routes,
  THUMBNAILS_FOLDER,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
} from '@bindery/contract/wire';
import { certificatePaths, withCertificates } from '../artifacts/certificates.ts';
import { withThumbnails } from '../artifacts/thumbnails.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { IntegrityError, PushRefusedError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { writeManifest } from '../library/manifest.ts';
import {
  DamagedManifestError,
  describeArtifacts,
  type LibraryHead,
  type RemoteLibrary,
  readHeadIfPresent,
  readLibrary,
} from '../library/read-library.ts';
import type { PushSource, RevisionOptions } from './source.ts';
import { requireWriteAccess } from './upload.ts';

/**
 * Returns the current library; null if it does not exist yet. Throws if its namespace is missing or hidden, and what a
 * push would be refused with: in a dry run if the library is in the Trash, otherwise if the user may not push.
 */
export async function findHead(
  client: LibraryClient,
  address: LibraryAddress,
  { dryRun = false, signal, propose }: Pick<RevisionOptions, 'dryRun' | 'signal' | 'propose'>,
): Promise<LibraryHead | null> {
  const head = await readHeadIfPresent(client, address, signal);
  if (head === null) await requireNamespace(client, address, signal);
  if (head === null && dryRun) await refuseTrashed(client, address, signal);
  // Said before anything is compared, drawn or asked: a conflict means nothing to somebody who cannot push.
  if (head?.row.viewerCanManage === false && !dryRun)
    await requireWriteAccess(client, address, { signal, proposes: propose !== undefined });
  return head;
}

/**
 * Reads the library that is pushed to. With `verify`, a manifest that the service has lost is replaced by that of the
 * folder if it has the same hash. Null if it has another one, or it is unknown what was lost; with `force` alone, null
 * if the manifest is lost. Without either, throws `IntegrityError` then.
 */
export async function readTarget(
  client: LibraryClient,
  address: LibraryAddress,
  head: LibraryHead,
  source: Pick<PushSource, 'local' | 'certify' | 'draw'>,
  options: Pick<RevisionOptions, 'manifests' | 'verify' | 'force' | 'signal'>,
): Promise<RemoteLibrary | null> {
  try {
    return await readLibrary(client, address, head, {
      ...options,
      artifacts: ({ generated = [] }) => generated,
    });
  } catch (error) {
    if (!isLostManifest(error)) throw error;
    if (!options.verify && options.force === true) return null;
    if (!options.verify) throw lostWithoutVerify(address, error);
    const { row, manifestSha256 } = head;
    const manifest = await findLostManifest(source, manifestSha256);
    if (manifest === null || manifestSha256 === null) return null;
    const artifacts = await readArtifacts(client, address, manifest, options.signal);
    return artifacts && { row, manifest, manifestSha256, artifacts };
  }
}

/** Null if the service has lost what the artifacts were. */
async function readArtifacts(
  client: LibraryClient,
  address: LibraryAddress,
  { generated = [] }: Manifest,
  signal: AbortSignal | undefined,
): Promise<RemoteLibrary['artifacts'] | null> {
  try {
    const files = await describeArtifacts(client, address, generated, signal);
    return new Map(files.map((file) => [file.path, file]));
  } catch (error) {
    if (isLostManifest(error)) return null;
    throw error;
  }
}

function isLostManifest(error: unknown): boolean {
  return (
    error instanceof DamagedManifestError || (error instanceof ApiError && error.code === 'content_lost')
  );
}

function lostWithoutVerify(address: LibraryAddress, cause: unknown): IntegrityError {
  return new IntegrityError(`The service has lost the manifest of ${formatLibraryAddress(address)}.`, {
    code: 'manifest_lost',
    details: { library: formatLibraryAddress(address) },
    cause,
  });
}

export function lostManifestError(address: LibraryAddress): PushRefusedError {
  return new PushRefusedError(
    `The service has lost the manifest of ${formatLibraryAddress(address)}, so it is unknown what this push would undo.`,
    { pullFirst: null },
  );
}

/** Makes a push to a missing or hidden namespace fail before anything is drawn, encoded or sent. */
async function requireNamespace(
  client: LibraryClient,
  { namespace }: LibraryAddress,
  signal: AbortSignal | undefined,
): Promise<void> {
  await client.call(routes.namespaces.getNamespace, {
    params: { namespace },
    ...(signal ? { signal } : {}),
  });
}

/** In the Trash, a library looks like one that is missing. */
async function refuseTrashed(
  client: LibraryClient,
  address: LibraryAddress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { libraries } = await client.call(routes.libraries.listLibraries, {
    params: { namespace: address.namespace },
    query: { deleted: 'true' },
    ...(signal ? { signal } : {}),
  });
  if (!libraries.some(({ name }) => name === address.name)) return;
  throw new ApiError({
    status: 409,
    code: 'library_in_trash',
    message: `${formatLibraryAddress(address)} is in the Trash. Restore it first, or purge it.`,
    requestId: null,
  });
}

/**
 * Returns the lost manifest with this hash if it is that of the folder: as the folder makes it, or with a drawn thumbnail
 * of every asset that has no other, with what is measured when they are drawn, with certificates, or with vectors. Null if none of these has
 * the hash.
 */
async function findLostManifest(
  { local, certify, draw }: Pick<PushSource, 'local' | 'certify' | 'draw'>,
  sha256: string | null,
): Promise<Manifest | null> {
  const drawn = [local, withDrawnThumbnails(local), withThumbnails(local, await draw(local, local))];
  const certified = await certify(local);
  const made = [
    ...drawn,
    ...drawn.map(withAllCertificates),
    ...drawn.map((manifest) => withCertificates(manifest, certified)),
  ];
  const candidates = [...made, ...made.map(withVectors)];
  return candidates.find((one) => hash('sha256', writeManifest(one)) === sha256) ?? null;
}

function withDrawnThumbnails(local: Manifest): Manifest {
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    if (asset.thumbnail !== undefined) return asset;
    const thumbnail = `${THUMBNAILS_FOLDER}${asset.id}.webp`;
    generated.add(thumbnail);
    return { ...asset, thumbnail };
  });
  return { ...local, assets, generated: [...generated] };
}

function withAllCertificates(manifest: Manifest): Manifest {
  const robots = manifest.assets.filter(
    ({ kind = DEFAULT_KIND, entry }) => entry !== undefined && CERTIFIED_KINDS.has(kind),
  );
  const paths = robots.flatMap(({ id }) => certificatePaths(id));
  return { ...manifest, generated: [...(manifest.generated ?? []), ...paths] };
}

function withVectors(manifest: Manifest): Manifest {
  const { generated = [] } = manifest;
  return { ...manifest, generated: [...generated, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH] };
}
