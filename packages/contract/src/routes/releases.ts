import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { releaseName } from '../name-schemas.ts';
import { integerParameter, libraryParams, pageNumbers, text, timestamp } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const releaseParams = libraryParams.extend({ release: releaseName });

/** `?share=<token>` gives access to the releases of a library, as it does to the library. */
const shareQuery = z.strictObject({ share: z.string().max(200).optional() });

/**
 * A permanent name for one revision of a library. `manifest` is that of the revision; `createdBy`, a user name, is null
 * for viewers who are not members of the namespace.
 */
const release = z.object({
  name: z.string(),
  revision: z.int(),
  notes: z.string().nullable(),
  manifest: z.object({ sha256: z.string(), size: z.int() }),
  assetCount: z.int(),
  fileCount: z.int(),
  totalBytes: z.int(),
  createdBy: z.string().nullable(),
  createdAt: timestamp,
});
export type Release = z.infer<typeof release>;

export const listReleases = defineRoute({
  ...endpoints.releases.listReleases,
  summary: 'The releases of a library, newest first',
  params: libraryParams,
  query: shareQuery.extend({
    page: integerParameter({ min: 1, max: LIMITS.pages, default: 1 }),
    pageSize: integerParameter({ min: 1, ...LIMITS.releasePageSize }),
  }),
  response: z.object({
    releases: z.array(release),
    ...pageNumbers,
  }),
  errors: ['not_found'],
});

export const createRelease = defineRoute({
  ...endpoints.releases.createRelease,
  summary: 'Releases the current revision, or an earlier one, under a permanent name',
  params: libraryParams,
  body: z.strictObject({
    name: releaseName,
    notes: text(LIMITS.releaseNotes).optional(),
    /**
     * The current revision or an earlier one, as long as it is kept; by default the current one. Fails with
     * `revision_conflict` if it is not kept.
     */
    revision: z.int().min(1).optional(),
  }),
  response: release,
  errors: ['not_found', 'forbidden', 'release_exists', 'revision_conflict', 'too_many_releases'],
});

export const getRelease = defineRoute({
  ...endpoints.releases.getRelease,
  summary: 'One release',
  params: releaseParams,
  query: shareQuery,
  response: release,
  errors: ['not_found'],
});

export const previewReleaseDeletion = defineRoute({
  ...endpoints.releases.previewReleaseDeletion,
  summary: 'What deleting a release would free, once the grace period is over',
  params: releaseParams,
  response: z.object({ objectsFreed: z.int(), bytesFreed: z.int() }),
  errors: ['not_found', 'forbidden', 'content_lost', 'unavailable'],
});

export const deleteRelease = defineRoute({
  ...endpoints.releases.deleteRelease,
  summary: 'Deletes a release; content that nothing else refers to is freed after the grace period',
  params: releaseParams,
  errors: ['not_found', 'forbidden'],
});
