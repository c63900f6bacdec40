/** Bounds of answers: how much one tool call gives a model. Sizes are in bytes, lengths in characters. */
const KIB = 1024;

export const BOUNDS = {
  hits: { default: 10, max: 50 },
  libraries: { default: 50, max: 100 },
  /** How deep a list of libraries can be paged. */
  listedLibraries: 500,
  /** Releases per page. */
  releases: 50,
  files: { default: 100, max: 500 },
  nodes: 100,
  /** Of a description in a list; `inspect_asset` has the whole. */
  listedText: 300,
  pictures: { perAnswer: 8, bytes: 192 * KIB, bytesPerAnswer: 768 * KIB },
  /** The largest file that is read as text, and how much of it one answer holds. */
  textFile: { bytes: 1_024 * KIB, page: 16_000 },
  /** Paths in a report about a folder. */
  listedPaths: 100,
} as const;
