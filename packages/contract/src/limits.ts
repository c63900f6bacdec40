/** Limits of the wire. Sizes are in bytes and times in seconds, unless the name says otherwise. */
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** In milliseconds. */
export const DAY = 86_400_000;

/** Sizes of small thumbnails, in pixels of the longer side. */
export const THUMBNAIL_WIDTHS = [160, 320, 640] as const;

export const LIMITS = {
  catalogPageSize: { default: 50, max: 200 },
  bindrChoices: { default: 20, max: 100 },
  /** Characters of a search by name, and of an opaque cursor. */
  nameSearch: 200,
  cursorLength: 2_048,
  /** The last page that can be requested. */
  pages: 1_000_000,
  auditPageSize: { default: 50, max: 200 },
  /** Of a namespace; characters of an address; hosts that operators allow. */
  watches: { perNamespace: 20, source: 2_000, hosts: 100 },
  webhooks: { perNamespace: 20, url: 2_000, deliveryPageSize: { default: 50, max: 200 } },
  /** Characters. */
  noteName: 200,
  projectsOfNewNote: 100,
  libraryList: { default: 100, max: 500 },
  search: { default: 50, max: 200, queryLength: 500, libraries: 50, filterValues: 50 },
  similar: { default: 20, max: 100 },
  facetValues: 100,
  completions: { default: 8, max: 20 },
  presignPaths: 1_000,
  presignTtl: { min: 60, default: 900, max: 3_600 },
  thumbnailTtl: 900,
  /** Of assets, in an entry of a list of libraries. */
  libraryThumbnails: 4,
  /** Of changes to a manifest and of a page of those between revisions: assets; the files of one asset that a page tells. */
  changes: { default: 100, max: 1_000, files: 10_000 },
  /** Of one library. */
  releases: 500,
  /** Entries of a signature log, and characters of a statement and of a signature. */
  signatures: { entries: 1_000, length: 1_000 },
  /** How many registers of a library its log holds. */
  loggedRegisters: 100,
  releaseNotes: 10_000,
  /**
   * Of one library: open ones, and decided ones that are remembered; `waiting` of all of a caller's. Texts in characters;
   * `files` and `bytes` of what one adds; `checks` that one has, and `required` by the library.
   */
  proposals: {
    open: 50,
    decided: 200,
    title: 200,
    message: 10_000,
    comments: 200,
    comment: 4_000,
    checks: 20,
    required: 10,
    checkName: 100,
    checkSummary: 1_000,
    checkUrl: 2_000,
    files: 10_000,
    bytes: 10 * GIB,
    pageSize: { default: 50, max: 200 },
    waiting: 20,
  },
  releasePageSize: { default: 50, max: 200 },
  uploadBatch: { files: 1_000, bytes: 10 * GIB },
  /** A file of this size or more is uploaded in parts. */
  multipartFrom: 64 * MIB,
  /** The smallest part; larger files have larger ones, so that there are at most `parts` of them. */
  partSize: 16 * MIB,
  parts: 10_000,
  deviceLogin: { expiresIn: 600, interval: 5 },
  manifest: {
    bytes: 100 * MIB,
    assets: 50_000,
    files: 1_000_000,
    generated: 60_000,
    metaBytes: 8 * KIB,
    entryPoints: 32,
    tags: 32,
    issues: 100,
  },
  path: { bytes: 1_024, segmentBytes: 255 },
  /** Of a library; a longer one is not published with it. */
  readmeBytes: 512 * KIB,
  /** `texts` and their `textLength` in code points: of one request for vectors. */
  embedding: { dimensions: 768, candidates: 100, texts: 32, textLength: 4_000 },
  /** Maximum number of paths that an error about stored files lists. */
  listedPaths: 100,
  jsonBody: 1 * MIB,
  /** A batch: 1,000 of the longest paths with every character escaped, or all parts of an upload. */
  pathsBody: 8 * MIB,
  /** Every platform artifact of the largest manifest with its hash. */
  registerBody: 16 * MIB,
} as const;
