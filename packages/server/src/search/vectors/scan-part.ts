/** The rows of one library that a scan searches. */
export interface ScanPart {
  /** The position of the library in the caller's list. */
  target: number;
  /** The numbers of the blocks. */
  blocks: Uint32Array;
  /** The number of rows in these blocks; only the last block can be partly filled. */
  rows: number;
  /** The file descriptor of the matrix. */
  file: number;
  /** 1 for each asset that can be found, by number; null for all. */
  filter: Uint8Array | null;
}

/** Rows as columns (library, asset and cosine), best first. */
export interface FoundRows {
  targets: Uint32Array;
  assets: Uint32Array;
  cosines: Float64Array;
}
