import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import {
  assetDetail,
  libraryDetail,
  librarySummary,
  madeCertificate,
  presignedFile,
  visibility,
} from '../library.ts';
import { LIMITS } from '../limits.ts';
import type { ManifestChanges } from '../manifest/compose.ts';
import {
  manifestAssetFields,
  manifestEntryPoint,
  manifestFile,
  manifestLibrary,
} from '../manifest/schema.ts';
import { assetId, releaseName, sha256Hex } from '../name-schemas.ts';
import {
  certificates,
  checkName,
  integerParameter,
  libraryParams,
  namespaceParams,
  none,
  revisionNumber,
  srcset,
  text,
  timestamp,
  ttlSeconds,
  ttlSecondsParameter,
  uses,
} from '../parameters.ts';
import { defineRoute } from '../route.ts';

/** `?share=<token>` gives anyone who has it access to the library; `?release=<name>` reads it as it was released. */
const readQuery = z.strictObject({
  share: z.string().max(200).optional(),
  release: releaseName.optional(),
});

/**
 * The same, or `?revision=<number>`: the current revision, a released one, or, for those who manage the library, one that
 * was replaced and is kept: for the days of history, at least for the grace period. With `release` it must be that of the release.
 */
export const revisionQuery = readQuery.extend({ revision: revisionNumber.optional() });

/** The same, or `?proposal=<number>`: what an open proposal makes of the library, for those who may accept it. */
const proposedQuery = revisionQuery.extend({ proposal: revisionNumber.optional() });

export const listAllLibraries = defineRoute({
  ...endpoints.libraries.listAllLibraries,
  summary: 'Public libraries and those of the caller; by default all, newest first',
  query: z.strictObject({
    limit: integerParameter({ min: 1, ...LIMITS.libraryList }),
    offset: integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
    /** `mine`: those of the namespaces that the caller belongs to. */
    of: z.enum(['all', 'mine', 'favourites']).default('all'),
    sort: z.enum(['updated', 'name', 'downloads', 'used']).default('updated'),
    /** Only libraries that have each of these words in their address or title. */
    search: text(LIMITS.nameSearch).default(''),
    srcset,
    uses,
  }),
  furtherSuccess: [304],
  /** `total` counts what the list is a part of; only with `uses=true`. */
  response: z.object({ total: z.int().optional(), libraries: z.array(librarySummary) }),
  errors: ['precondition_failed'],
});

export const listLibraries = defineRoute({
  ...endpoints.libraries.listLibraries,
  summary: 'Libraries of one namespace, or its Trash',
  params: namespaceParams,
  query: z.strictObject({ deleted: z.enum(['true', 'false']).default('false'), srcset, uses }),
  furtherSuccess: [304],
  response: z.object({ viewerIsMember: z.boolean(), libraries: z.array(librarySummary) }),
  errors: ['not_found', 'precondition_failed'],
});

export const getLibrary = defineRoute({
  ...endpoints.libraries.getLibrary,
  summary: 'One library',
  params: libraryParams,
  query: readQuery.extend({ readme: z.enum(['true', 'false']).default('false'), uses }),
  furtherSuccess: [304],
  response: libraryDetail,
  errors: ['not_found', 'precondition_failed', 'content_lost'],
});

/**
 * What a register changed in assets compared with the previous revision. An asset has changed if anything in its
 * manifest entry has. `registeredBy`, a user name, is null for viewers who are not members of the namespace.
 * `releases` are the names of the revision; `isReadable`: `?revision=` reads it, for this viewer.
 */
const loggedRegister = z.object({
  revision: z.int(),
  registeredAt: timestamp,
  registeredBy: z.string().nullable(),
  assetsAdded: z.int(),
  assetsRemoved: z.int(),
  assetsChanged: z.int(),
  assetCount: z.int(),
  fileCount: z.int(),
  totalBytes: z.int(),
  releases: z.array(z.string()),
  isReadable: z.boolean(),
});
export type LoggedRegister = z.infer<typeof loggedRegister>;

export const getLog = defineRoute({
  ...endpoints.libraries.getLog,
  summary: 'The latest registers of a library, newest first, and what each changed',
  params: libraryParams,
  query: readQuery.omit({ release: true }),
  response: z.object({ registers: z.array(loggedRegister) }),
  errors: ['not_found'],
});

const libraryHistory = z.object({
  /** For how many days after it was replaced a revision is kept; 0: for the grace period. */
  days: z.int(),
  /** How many replaced revisions are kept. */
  revisions: z.int(),
  /** What is stored for them alone. */
  objects: z.int(),
  bytes: z.int(),
});
export type LibraryHistory = z.infer<typeof libraryHistory>;

export const getHistory = defineRoute({
  ...endpoints.libraries.getHistory,
  summary: 'The replaced revisions that are kept, and what they cost',
  params: libraryParams,
  response: libraryHistory,
  errors: ['not_found', 'forbidden'],
});

export const getAsset = defineRoute({
  ...endpoints.libraries.getAsset,
  summary: 'One asset with a presigned URL per file',
  /** Any text: what is not an id names no asset. */
  params: libraryParams.extend({ assetId: z.string() }),
  query: proposedQuery.extend({ ttlSeconds: ttlSecondsParameter, srcset, certificates, uses }),
  response: assetDetail,
  errors: ['not_found', 'asset_not_found', 'content_lost'],
});

export const certifyAsset = defineRoute({
  ...endpoints.libraries.certifyAsset,
  summary: 'Has the service simulate a robot, unless it has done so with these files and its MuJoCo',
  params: libraryParams.extend({ assetId: z.string() }),
  query: revisionQuery,
  response: madeCertificate,
  errors: [
    'not_found',
    'asset_not_found',
    'forbidden',
    'conversion_refused',
    'renderer_missing',
    'content_lost',
  ],
});

export const getManifest = defineRoute({
  ...endpoints.libraries.getManifest,
  summary: 'The manifest, byte for byte as it was uploaded',
  params: libraryParams,
  query: revisionQuery,
  furtherSuccess: [304],
  response: z.unknown(),
  errors: ['not_found', 'precondition_failed', 'content_lost'],
});

/**
 * `library` is its block of the manifest, null if the revision was registered before that was kept apart; `rootFiles` are
 * the platform artifacts that belong at the root of a folder: its README and its curation.
 */
const comparedRevision = z.object({
  revision: z.int(),
  manifestSha256: sha256Hex,
  library: manifestLibrary.nullable(),
  rootFiles: z.array(manifestFile),
});

/** An entry of a manifest; what the author left out is left out, except that `kind` is always stated. */
const comparedAsset = manifestAssetFields.extend({
  files: z.array(manifestFile),
  entryPoints: z.record(z.string(), manifestEntryPoint).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
});

/**
 * An asset whose entry differs; null on the side that does not have it. `shared` are the paths that only one side of it
 * has, but that another asset of the other revision has too. An asset with more files than are told is `untold`: both
 * sides are null, and the manifests tell them.
 */
const assetChange = z.object({
  id: assetId,
  before: comparedAsset.nullable(),
  after: comparedAsset.nullable(),
  shared: z.array(z.string()),
  untold: z.boolean(),
});
export type AssetChange = z.infer<typeof assetChange>;

export const revisionChanges = z.object({
  from: comparedRevision,
  to: comparedRevision,
  /** What `after` continues with; null on the last page. */
  next: z.string().nullable(),
  changes: z.array(assetChange),
});
export type RevisionChanges = z.infer<typeof revisionChanges>;

export const listChanges = defineRoute({
  ...endpoints.libraries.listChanges,
  summary: 'The assets that differ between two revisions, by id, with their entries in both manifests',
  params: libraryParams,
  /** The earlier one by its number or release; the later one as everywhere. */
  query: revisionQuery.extend({
    from: revisionNumber.optional(),
    fromRelease: releaseName.optional(),
    after: assetId.optional(),
    limit: integerParameter({ min: 1, max: LIMITS.changes.max, default: LIMITS.changes.default }),
  }),
  response: revisionChanges,
  errors: ['not_found', 'content_lost'],
});

export const presignFiles = defineRoute({
  ...endpoints.libraries.presignFiles,
  summary: 'Presigned URLs for files of the manifest',
  params: libraryParams,
  query: proposedQuery,
  body: z.strictObject({
    paths: z.array(z.string().max(LIMITS.path.bytes)).min(1).max(LIMITS.presignPaths),
    ttlSeconds: ttlSeconds.optional(),
  }),
  bodyLimit: LIMITS.pathsBody,
  response: z.object({ ttlSeconds: z.int(), files: z.array(presignedFile) }),
  errors: ['not_found', 'unknown_path', 'content_lost'],
});

/** `true` creates a token if there is none, `"rotate"` a new one, `false` removes it. */
const share = z.union([z.boolean(), z.literal('rotate')]);

export const REGISTER_ERRORS = [
  'not_found',
  'forbidden',
  'manifest_missing',
  'manifest_too_large',
  'manifest_invalid_json',
  'manifest_bad_schema',
  'manifest_invalid',
  'manifest_invalid_path',
  'manifest_duplicate_id',
  'manifest_too_many_assets',
  'manifest_too_many_files',
  'manifest_too_many_generated',
  'manifest_file_conflict',
  'revision_conflict',
  'library_in_trash',
  'files_missing',
  'content_mismatch',
  'unavailable',
  'storage_full',
  'quota_exceeded',
] as const;

/** A copy with other keys first would be another manifest, so an entry is only looked at. */
const changedAsset = z.record(z.string(), z.unknown()).refine(isEntry, {
  error: 'an entry of a manifest, with an id and files with paths',
});

function isEntry({ id, files }: Record<string, unknown>): boolean {
  const hasPath = (file: unknown) =>
    typeof file === 'object' && file !== null && 'path' in file && typeof file.path === 'string';
  return typeof id === 'string' && Array.isArray(files) && files.every(hasPath);
}

const generatedPaths = z.array(z.string().max(LIMITS.path.bytes)).max(LIMITS.manifest.generated);

/**
 * What differs between the current manifest, `base`, and the next one, instead of an upload of that: it is the current one
 * with these entries added or replaced and these ids removed, written as compact JSON with assets by id and files by path.
 * Typed as what it must be: what is wrong in an entry is refused with the manifest that it becomes part of.
 */
export const manifestChanges = z.strictObject({
  base: sha256Hex,
  library: z.record(z.string(), z.unknown()).nullable().optional(),
  assets: z.array(changedAsset).max(LIMITS.changes.max).optional(),
  removed: z.array(assetId).max(LIMITS.changes.max).optional(),
  generated: z
    .strictObject({ added: generatedPaths.optional(), removed: generatedPaths.optional() })
    .optional(),
}) as unknown as z.ZodType<ManifestChanges, ManifestChanges>;

/** Platform artifacts that a client names. */
export const namedArtifacts = z
  .array(z.strictObject({ path: z.string().max(LIMITS.path.bytes), size: z.int().min(0), sha256: sha256Hex }))
  .max(LIMITS.manifest.generated);

export const registerLibrary = defineRoute({
  ...endpoints.libraries.registerLibrary,
  summary: 'Publishes the uploaded files as the next revision, all or nothing',
  params: libraryParams,
  strictNames: ['name'],
  body: z
    .strictObject({
      expectedRevision: z.int().min(0).optional(),
      manifestSha256: sha256Hex.optional(),
      changes: manifestChanges.optional(),
      artifacts: namedArtifacts.optional(),
      visibility: visibility.optional(),
      share: share.optional(),
    })
    .nullish(),
  bodyLimit: LIMITS.registerBody,
  furtherSuccess: [201],
  response: libraryDetail,
  errors: REGISTER_ERRORS,
});

export const restoreRevision = defineRoute({
  ...endpoints.libraries.restoreRevision,
  summary: 'Publishes the content of an earlier revision again, as the next one',
  params: libraryParams.extend({ revision: revisionNumber }),
  body: z.strictObject({ expectedRevision: z.int().min(1).optional() }).nullish(),
  response: libraryDetail,
  errors: REGISTER_ERRORS,
});

export const patchLibrary = defineRoute({
  ...endpoints.libraries.patchLibrary,
  summary:
    'Changes visibility, the share token, the asset whose thumbnail is the cover, or the checks that proposals need',
  params: libraryParams,
  body: z.strictObject({
    visibility: visibility.optional(),
    share: share.optional(),
    /** The id of an asset; null for the first that has a thumbnail. */
    cover: assetId.nullable().optional(),
    /** Names of the checks that have to pass before a proposal is accepted, in place of those before. */
    requiredChecks: z.array(checkName).max(LIMITS.proposals.required).optional(),
  }),
  response: libraryDetail,
  errors: ['not_found', 'asset_not_found', 'forbidden', 'precondition_failed', 'content_lost', 'unavailable'],
});

export const deleteLibrary = defineRoute({
  ...endpoints.libraries.deleteLibrary,
  summary: 'Moves a library to the Trash',
  params: libraryParams,
  response: z.object({
    namespace: z.string(),
    name: z.string(),
    state: z.literal('deleted'),
    deletedAt: z.iso.datetime(),
  }),
  errors: ['not_found', 'forbidden', 'precondition_failed'],
});

export const restoreLibrary = defineRoute({
  ...endpoints.libraries.restoreLibrary,
  summary: 'Restores a library from the Trash',
  params: libraryParams,
  body: none.nullish(),
  response: libraryDetail,
  errors: ['not_found', 'forbidden', 'not_in_trash'],
});

export const purgeLibrary = defineRoute({
  ...endpoints.libraries.purgeLibrary,
  summary: 'Permanently deletes a library in the Trash',
  params: libraryParams,
  response: z.object({
    namespace: z.string(),
    name: z.string(),
    state: z.literal('purged'),
    objectsDeleted: z.int(),
    bytesFreed: z.int(),
  }),
  errors: ['not_found', 'forbidden', 'not_in_trash'],
});

export const putFavourite = defineRoute({
  ...endpoints.libraries.putFavourite,
  summary: 'Marks a library as a favourite of the caller, which nobody else sees',
  params: libraryParams,
  errors: ['not_found', 'forbidden'],
});

export const deleteFavourite = defineRoute({
  ...endpoints.libraries.deleteFavourite,
  summary: 'Takes a library out of the favourites of the caller',
  params: libraryParams,
  errors: ['not_found', 'forbidden'],
});

/** Sent by clients when a project pins assets in its lock. Nothing is stored but the numbers. */
export const countUses = defineRoute({
  ...endpoints.libraries.countUses,
  summary: 'Counts that a project uses assets of a library',
  params: libraryParams,
  query: readQuery.omit({ release: true }),
  body: z.strictObject({ assets: z.array(z.string().max(128)).min(1).max(LIMITS.presignPaths) }),
  errors: ['not_found', 'content_lost'],
});
