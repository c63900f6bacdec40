import type { LibraryDetail, Manifest, ManifestFile, Visibility } from '@bindery/contract';
import { LIMITS, MANIFEST_PATH, routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { TreeError } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { manifestText, writeManifest } from '../library/manifest.ts';
import { NO_PROGRESS, type ProgressListener } from '../tree/progress.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import { uploadAll } from './upload.ts';

/** One revision to publish. */
export interface Publication {
  manifest: Manifest;
  /** User files to send. */
  files: readonly UploadSource[];
  /** Platform artifacts to send. */
  artifacts: readonly UploadSource[];
  /** Platform artifacts of the previous revision that stay unchanged. */
  keptArtifacts: readonly ManifestFile[];
  /** The revision that this one follows; 0 for the first. */
  expectedRevision: number;
  visibility?: Visibility | undefined;
  /** Have the service read its copies of these files, and send what it has lost. */
  verify?: boolean | undefined;
}

export interface PublishOptions {
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Uploads a revision and registers it atomically. Returns the library after that. Throws `TreeError`. */
export async function publish(
  client: LibraryClient,
  address: LibraryAddress,
  publication: Publication,
  options: PublishOptions,
): Promise<LibraryDetail> {
  await refuseBrokenManifest(publication.manifest);
  await sendRevision(client, address, publication, options);
  return registerRevision(client, address, publication, options);
}

/** Uploads what a revision, whose manifest is valid, consists of. Returns what the service did not have. */
export async function sendRevision(
  client: LibraryClient,
  address: LibraryAddress,
  { manifest, files, artifacts, verify }: Publication,
  { signal, progress = NO_PROGRESS }: PublishOptions,
): Promise<UploadSource[]> {
  const sources = [...files, ...artifacts, manifestSource(manifest)];
  const work = progress.start('Uploading', {
    bytes: sources.reduce((sum, { size }) => sum + size, 0),
    items: sources.length,
    unit: 'files',
  });
  try {
    const onProgress = work.advance.bind(work);
    const sent = await uploadAll(client, address, sources, { signal, verify, onProgress });
    work.finish();
    return sent;
  } finally {
    work.stop();
  }
}

/** Registers an uploaded revision. */
export function registerRevision(
  client: LibraryClient,
  address: LibraryAddress,
  { manifest, artifacts, keptArtifacts, expectedRevision, visibility }: Publication,
  { signal }: PublishOptions,
): Promise<LibraryDetail> {
  return client.call(routes.libraries.registerLibrary, {
    params: libraryParams(address),
    body: {
      expectedRevision,
      manifestSha256: manifestSource(manifest).sha256,
      artifacts: [...artifacts, ...keptArtifacts].map(({ path, size, sha256 }) => ({ path, size, sha256 })),
      ...(visibility === undefined ? {} : { visibility }),
    },
    ...(signal ? { signal } : {}),
  });
}

function manifestSource(manifest: Manifest): UploadSource {
  return bytesSource(MANIFEST_PATH, writeManifest(manifest));
}

/** Throws `TreeError` for an invalid manifest. The service would refuse it too, but only after everything was sent. */
export async function refuseBrokenManifest(manifest: Manifest): Promise<void> {
  const { manifestTooLarge, validateManifestValue } = await import('@bindery/contract/manifest');
  const { size } = manifestSource(manifest);
  const verdict =
    size > LIMITS.manifest.bytes
      ? { ok: false as const, ...manifestTooLarge(size) }
      : validateManifestValue(JSON.parse(manifestText(manifest)));
  if (verdict.ok) return;
  const issues = verdict.issues.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
  throw new TreeError([`this manifest cannot be published (${verdict.code}):`, ...issues].join('\n  '));
}
