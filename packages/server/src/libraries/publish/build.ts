import {
  LEGACY_MANIFEST_PATH,
  LIMITS,
  MANIFEST_PATH,
  type ManifestError,
  type ManifestLayout,
  manifestTooLarge,
  RESERVED_FOLDER,
} from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { recordDamaged } from '../../objects/health/damage.ts';
import { repairIndex } from '../../objects/health/repair.ts';
import { listedArtifacts, unlessContentLost } from '../../objects/open-revision.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import { artifactsReceived } from '../../objects/uploads.ts';
import { packListInTurns } from '../../process/packed-list.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import { SIDECAR_PATHS } from '../../revision/vectors/sidecar.ts';
import type { BuiltRevision } from './revision-workers.ts';

export interface Source {
  storeId: string;
  library: LibraryRow | null;
  manifest: ManifestSource;
  /** Uploads up to this number belong to earlier registers. */
  since: number;
  /** Uploads of platform artifacts do not count unless the client names them. */
  isComposed?: true | undefined;
  /** Platform artifacts of a previous revision that has no index; uploads take precedence. */
  listed?: readonly StoredArtifact[];
}

/**
 * Builds the revision on top of the previous one, whose index is rebuilt first if damaged. If that is impossible,
 * the previous revision counts as empty, so that everything is verified, and its artifacts are those of its list.
 */
export async function build(
  context: MaintenanceContext,
  source: Source,
  artifacts: readonly StoredArtifact[] | undefined,
): Promise<BuiltRevision> {
  const built = await readManifest(context, source, artifacts);
  if (built !== 'previous-damaged') return built;
  const library = source.library && (await unlessContentLost(repairIndex(context, source.library)));
  const listed = library === null ? await artifactsOfLost(context, source) : [];
  const again = await readManifest(context, { ...source, library, listed }, artifacts);
  if (again === 'previous-damaged') throw new Error('an index was damaged again while it was rebuilt');
  return again;
}

async function artifactsOfLost(
  { objects, log }: MaintenanceContext,
  { storeId, library }: Source,
): Promise<StoredArtifact[]> {
  if (library === null) return [];
  const listed = await listedArtifacts(objects, library);
  const { name, revision } = library;
  log.warn(
    { storeId, library: name, revision, artifacts: listed?.length ?? null },
    'a library is registered anew because its manifest and index are lost; platform artifacts come from their list',
  );
  return listed ?? [];
}

/**
 * Has a worker read the manifest and build the index of its revision. `pinned` are platform artifacts that the
 * client names; they take precedence over uploads. Throws the manifest's error with its issues. Returns
 * `previous-damaged` if the previous revision's index cannot be read.
 */
async function readManifest(
  context: MaintenanceContext,
  { storeId, library, manifest, since, isComposed, listed = [] }: Source,
  pinned: readonly StoredArtifact[] = [],
): Promise<BuiltRevision | 'previous-damaged'> {
  const { db, objects, revisionWorkers } = context;
  if (manifest.size > LIMITS.manifest.bytes) throw refusal(manifestTooLarge(manifest.size));
  const received = isComposed ? [] : await artifactsReceived({ db, storeId }, since, isArtifactOf(manifest));
  const named = async (sha256: string) => ({ sha256, file: await objects.localFile({ storeId, sha256 }) });
  const namedIfOther = async (sha256: string) => (sha256 === manifest.sha256 ? null : named(sha256));
  const build = async () =>
    revisionWorkers.build({
      manifest: { size: manifest.size, layout: manifest.layout, ...(await named(manifest.sha256)) },
      previous: library && {
        index: await named(library.index_sha256),
        manifest: await namedIfOther(library.manifest_sha256),
      },
      artifacts: await packListInTurns([...listed, ...received, ...pinned]),
      cover: library?.cover_asset ?? null,
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

/** The manifest to register. */
export interface ManifestSource {
  sha256: string;
  size: number;
  layout: ManifestLayout;
  /** Its bytes if the service has made it and not stored it yet. */
  made?: Uint8Array;
}

const LAYOUT_PATHS: Record<ManifestLayout, string> = {
  current: MANIFEST_PATH,
  legacy: LEGACY_MANIFEST_PATH,
};

/**
 * Returns the manifest with the hash that the client names; else the last one uploaded since the last register; else
 * the library's own. `assets.json` counts if the library has no manifest of the current layout. Throws
 * `manifest_missing`.
 */
export async function findManifest(
  { db }: DatabaseContext,
  storeId: string,
  library: LibraryRow | null,
  sha256: string | undefined,
): Promise<ManifestSource> {
  const found =
    sha256 === undefined
      ? await findUnnamed(db, storeId, library)
      : await findNamed(db, storeId, library, sha256);
  if (found) return found;
  throw manifestMissing(
    sha256 === undefined
      ? `Nothing was uploaded. Upload the files, then "${MANIFEST_PATH}", and register again.`
      : `No manifest with the hash ${sha256} was uploaded. Upload it as "${MANIFEST_PATH}" and register again.`,
  );
}

export function manifestMissing(message: string): ServiceError {
  return new ServiceError('manifest_missing', message);
}

async function findNamed(
  db: Context['db'],
  storeId: string,
  library: LibraryRow | null,
  sha256: string,
): Promise<ManifestSource | null> {
  if (library?.manifest_sha256 === sha256) return manifestOf(library);
  for (const layout of ['current', 'legacy'] as const) {
    const receipt = await receiptsAt(db, storeId, LAYOUT_PATHS[layout])
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (receipt) return { ...receipt, layout };
  }
  return null;
}

async function findUnnamed(
  db: Context['db'],
  storeId: string,
  library: LibraryRow | null,
): Promise<ManifestSource | null> {
  const mayBeLegacy = library === null || library.manifest_layout === 'legacy';
  for (const layout of mayBeLegacy ? (['current', 'legacy'] as const) : (['current'] as const)) {
    const receipt = await receiptsAt(db, storeId, LAYOUT_PATHS[layout])
      .where('number', '>', library?.uploads_settled ?? 0)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (receipt) return { ...receipt, layout };
  }
  return library && manifestOf(library);
}

function receiptsAt(db: Context['db'], storeId: string, path: string) {
  return db
    .selectFrom('upload_receipts')
    .select(['sha256', 'size'])
    .where('store_id', '=', storeId)
    .where('path', '=', path);
}

export function manifestOf({ manifest_sha256, manifest_size, manifest_layout }: LibraryRow): ManifestSource {
  return { sha256: manifest_sha256, size: manifest_size, layout: manifest_layout };
}
