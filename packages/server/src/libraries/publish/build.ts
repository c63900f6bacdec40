import { LIMITS, type ManifestError, manifestTooLarge, RESERVED_FOLDER } from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { recordDamaged } from '../../objects/health/damaged-objects.ts';
import { markForReclaim } from '../../objects/retention/due.ts';
import { artifactsReceived } from '../../objects/uploads.ts';
import { packListInTurns } from '../../process/packed-list.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import { SIDECAR_PATHS } from '../../revision/vectors/sidecar-paths.ts';
import { type ManifestSource, manifestMissing } from './find-manifest.ts';
import type { BuiltRevision } from './revision-workers.ts';

export interface Source {
  storeId: string;
  library: LibraryRow | null;
  manifest: ManifestSource;
  /** Uploads up to this number belong to earlier registers. */
  since: number;
  /** Platform artifacts of a previous revision that has no index; uploads take precedence. */
  listed?: readonly StoredArtifact[];
}

/**
 * Has a worker read the manifest and build the index of its revision. `pinned` are platform artifacts that the
 * client names; they take precedence over uploads. Throws the manifest's error with its issues. Returns
 * `previous-damaged` if the previous revision's index cannot be read.
 */
export async function readManifest(
  context: MaintenanceContext,
  { storeId, library, manifest, since, listed = [] }: Source,
  pinned: readonly StoredArtifact[] = [],
): Promise<BuiltRevision | 'previous-damaged'> {
  const { db, objects, revisionWorkers } = context;
  if (manifest.size > LIMITS.manifest.bytes) throw refusal(manifestTooLarge(manifest.size));
  const received = await artifactsReceived({ db, storeId }, since, isArtifactOf(manifest));
  const build = async () =>
    revisionWorkers.build({
      manifest: { ...manifest, file: await objects.localFile({ storeId, sha256: manifest.sha256 }) },
      previousIndex: library && {
        sha256: library.index_sha256,
        file: await objects.localFile({ storeId, sha256: library.index_sha256 }),
      },
      artifacts: await packListInTurns([...listed, ...received, ...pinned]),
    });
  let outcome = await build();
  if (outcome.kind === 'damaged') {
    await replaceDamaged(context, storeId, manifest);
    outcome = await build();
  }
  if (outcome.kind === 'refused') throw refusal(outcome.error);
  if (outcome.kind === 'previous-damaged') return 'previous-damaged';
  if (outcome.kind === 'damaged')
    throw manifestMissing('The stored manifest is incomplete. Upload it again.');
  return outcome.revision;
}

/** Replaces a damaged manifest with a new upload of it; without one, records the damage. */
async function replaceDamaged(
  context: MaintenanceContext,
  storeId: string,
  manifest: ManifestSource,
): Promise<void> {
  const { sha256, size } = manifest;
  const staged = await context.objects.findStaged(storeId, [{ sha256, size }]);
  if (!staged.has(sha256)) return recordDamaged(context, storeId, [sha256]);
  await markForReclaim(context, storeId);
  await context.objects.promote(storeId, [{ sha256, size }]);
}

function isArtifactOf({ layout }: ManifestSource): (path: string) => boolean {
  if (layout === 'current') return (path) => path.startsWith(RESERVED_FOLDER);
  const { document, matrix } = SIDECAR_PATHS.legacy;
  return (path) => path === document || path === matrix;
}

function refusal({ code, issues }: ManifestError): ServiceError {
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : '';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ServiceError(code, `The manifest is invalid: ${where}${first?.message}${more}.`, { issues });
}
