import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { VISIBILITIES } from './names.ts';
import { checkName, timestamp } from './parameters.ts';

export const visibility = z.enum(VISIBILITIES);
export type Visibility = z.infer<typeof visibility>;

/** A file with its presigned URL. */
export const presignedFile = z.object({
  path: z.string(),
  size: z.int(),
  sha256: z.string(),
  url: z.string(),
});
export type PresignedFile = z.infer<typeof presignedFile>;

/**
 * How often assets were downloaded and pinned by projects, of a library all of its assets together. Nothing says by whom
 * or when. Only with `uses=true`, and absent if the service does not count.
 */
const useCounts = { downloads: z.int().optional(), usedBy: z.int().optional() };

/** A row of a library list. Sizes are in bytes; `coverThumbUrl` is valid for 900 seconds. */
export const librarySummary = z.object({
  namespace: z.string(),
  name: z.string(),
  type: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  provider: z.string().nullable(),
  license: z.string().nullable(),
  tags: z.array(z.string()),
  revision: z.int(),
  assetCount: z.int(),
  fileCount: z.int(),
  totalBytes: z.int(),
  categories: z.array(z.string()),
  kinds: z.array(z.string()),
  licenses: z.array(z.string()),
  visibility,
  semantic: z.boolean().nullable(),
  vectorsDim: z.int().nullable(),
  coverThumbUrl: z.string().nullable(),
  /** Small versions of the cover, as `srcset` of HTML; only with `srcset=true`. */
  coverThumbSrcset: z.string().nullable().optional(),
  /**
   * Small versions of the thumbnails of its first assets, at most four that differ, each as `srcset`; empty if a cover
   * was chosen. Only with `srcset=true`.
   */
  thumbnailSrcsets: z.array(z.string()).max(LIMITS.libraryThumbnails).optional(),
  createdAt: timestamp,
  updatedAt: timestamp,
  ...useCounts,
  /** Whether the caller has marked it for themselves; only with `uses=true`. */
  isFavourite: z.boolean().optional(),
});
export type LibrarySummary = z.infer<typeof librarySummary>;

/** The whole library; `shareToken`, `cover` and `requiredChecks` are present for managers only. */
export const libraryDetail = librarySummary.extend({
  homepage: z.string().nullable(),
  upstreamRepo: z.string().nullable(),
  upstreamCommit: z.string().nullable(),
  indexRevision: z.null(),
  viewerCanManage: z.boolean(),
  shareToken: z.string().nullable().optional(),
  /** The id of the asset that was chosen as the cover, which may be gone; null if the first with a thumbnail is. */
  cover: z.string().nullable().optional(),
  /** Names of the checks that have to pass before a proposal is accepted. */
  requiredChecks: z.array(checkName).max(LIMITS.proposals.required).optional(),
  /** The README of the library itself; only with `readme=true`. */
  readme: presignedFile.nullable().optional(),
  /** Problems that a register found but did not refuse; absent if there are none. */
  warnings: z.array(z.string()).optional(),
});
export type LibraryDetail = z.infer<typeof libraryDetail>;

/**
 * A term of the query that a field of an asset contains, or has as a prefix; `weight` is what it adds to the keyword
 * score. `labels` (category, kind, format and license), `broader` (words for what title and tags name a kind of),
 * `definition` (words that define it), `derived` (what its files show, which nobody wrote), stems, synonyms and typos count only in searches by relevance.
 */
export const matchedTerm = z.object({
  term: z.string(),
  field: z.enum(['title', 'tags', 'id', 'description', 'labels', 'broader', 'definition', 'derived']),
  match: z.enum(['exact', 'stem', 'prefix', 'synonym', 'typo']),
  weight: z.number(),
});
export type MatchedTerm = z.infer<typeof matchedTerm>;

/**
 * Explains the rank of a hit. `keyword` is null if it is not a hit by keyword, `cosine` if it is not among the nearest
 * by vector. Both parts are scaled to 0 to 1, and are null in a search by keyword only.
 */
export const searchExplanation = z.object({
  terms: z.array(matchedTerm),
  keyword: z.number().nullable(),
  cosine: z.number().nullable(),
  keywordPart: z.number().nullable(),
  vectorPart: z.number().nullable(),
  score: z.number(),
  /** The same in words; only in a search by relevance. */
  sentences: z.array(z.string()).optional(),
});
export type SearchExplanation = z.infer<typeof searchExplanation>;

/** What hits and details of an asset say of it. */
const described = {
  title: z.string().nullable(),
  description: z.string().nullable(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  kind: z.string(),
  format: z.string().nullable(),
  license: z.string().nullable(),
  entry: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
  /** Small versions of the thumbnail, as `srcset` of HTML; only with `srcset=true`. */
  thumbnailSrcset: z.string().nullable().optional(),
};

/** One hit of a search inside a library; `explain` is present if requested. */
export const searchHit = z.object({
  assetId: z.string(),
  ...described,
  score: z.number(),
  files: z.object({ count: z.int(), bytes: z.int() }),
  digest: z.string(),
  /** True if the asset has none of the query's words and is only close in meaning; only in a search by relevance. */
  isRelated: z.literal(true).optional(),
  /**
   * The entry point that the query names, if it is not the asset itself that has these words; `entry` is then its file.
   * Only in a search by relevance.
   */
  entryPoint: z.string().optional(),
  explain: searchExplanation.optional(),
});
export type SearchHit = z.infer<typeof searchHit>;

/** A hit of a search across libraries. */
export const crossLibraryHit = z.object({ namespace: z.string(), library: z.string(), ...searchHit.shape });
export type CrossLibraryHit = z.infer<typeof crossLibraryHit>;

/** An asset as inspected: its manifest entry (`license` raw) with a presigned URL per file. */
const course = z.object({
  /** Simulated. */
  seconds: z.number(),
  /** Kinetic energy in joules, at equal distances in time. */
  energy: z.array(z.number()).max(256),
  /** When it ends. */
  contacts: z.number(),
});

/** How a robot behaved in another engine than MuJoCo. */
export const engineVerdict = z.object({
  name: z.string().max(40),
  /** Empty if it is not installed. */
  version: z.string().max(40),
  verdict: z.enum(['passed', 'failed', 'not run']),
  /** What was found, or why it was not run, in the engine's own words. */
  reasons: z.array(z.string().max(1_000)).max(20),
  /** The largest distance from where bodies rest in MuJoCo, and the largest difference of joints while they are driven. */
  drift: z.object({ metres: z.number(), radians: z.number() }).optional(),
  /** What the engine was not given or leaves out, of what moves bodies. */
  losses: z.array(z.string().max(200)).max(50),
});
export type EngineVerdict = z.infer<typeof engineVerdict>;

/** How the robot that an asset opens behaved in MuJoCo. */
export const certificate = z.object({
  verdict: z.enum(['passed', 'failed']),
  /** The digest of the files that were simulated. */
  digest: z.string().max(100),
  /** The file that was opened. */
  file: z.string().max(1_024),
  /** Its version. */
  mujoco: z.string().max(40),
  /** The version of the trials. */
  certifier: z.string().max(40),
  /** In seconds; absent for a model that does not compile. */
  timestep: z.number().optional(),
  rest: course.optional(),
  /** Under random control; absent for a model without actuators. */
  control: course.optional(),
  problems: z.array(z.object({ code: z.string().max(64), message: z.string().max(1_000) })).max(50),
  /** What was left out when the model was converted for MuJoCo. */
  losses: z
    .array(
      z.object({
        what: z.string().max(200),
        names: z.array(z.string().max(400)).max(50),
        why: z.string().max(1_000),
      }),
    )
    .max(50),
  /** Engines beside MuJoCo, if some were asked. */
  engines: z.array(engineVerdict).max(8).optional(),
});
export type Certificate = z.infer<typeof certificate>;

/** A certificate with who made it. */
export const madeCertificate = certificate.extend({
  madeBy: z.enum(['publisher', 'service']),
  /** The animated picture of the run, if there is one. */
  pictureUrl: z.string().nullable(),
});
export type MadeCertificate = z.infer<typeof madeCertificate>;

export const assetDetail = z.object({
  id: z.string(),
  ...described,
  attribution: z.string().nullable(),
  upstream: z.record(z.string(), z.unknown()).nullable(),
  entryPoints: z.record(z.string(), z.object({ kind: z.string(), file: z.string() })),
  meta: z.record(z.string(), z.unknown()),
  ttlSeconds: z.int(),
  /** Certificates of these files; only with `certificates=true`. */
  certificates: z.array(madeCertificate).optional(),
  ...useCounts,
  files: z.array(presignedFile),
});
export type AssetDetail = z.infer<typeof assetDetail>;
