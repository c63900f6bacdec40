/** A run of rows of one library that is searched. */
export interface ScanPart {
  /** Which library, by the caller's count. */
  target: number;
  /** The numbers of the blocks. */
  blocks: Uint32Array;
  /** Rows in these blocks; only the last one may have room left. */
  rows: number;
  /** The open file of the matrix. */
  file: number;
  /** 1 for assets that may be found; null for all. */
  filter: Uint8Array | null;
}

/** Column by column: which library, which asset, what cosine; the best first. */
export interface Found {
  targets: Uint32Array;
  assets: Uint32Array;
  cosines: Float64Array;
}
