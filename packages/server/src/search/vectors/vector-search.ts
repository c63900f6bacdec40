/** The port to exact vector search over library revisions; the work is done off the event loop. */
export interface VectorSearch {
  /** Begins to load what is about to be searched, as far as there is room that nobody uses. */
  prepare(libraries: readonly SearchedVectors[]): void;

  /**
   * The 100 assets of the libraries whose vectors have the highest cosines with the query, a vector of length 1; among
   * equals those of the earlier library, then of the lower number. Never throws because of a library: one whose vectors
   * cannot be used has none.
   */
  nearest(query: Float32Array, libraries: readonly SearchedVectors[]): Promise<Nearest>;

  close(): Promise<void>;
}

/** A library revision whose vectors are searched: its index and both halves of its sidecar by their hashes. */
export interface SearchedVectors {
  storeId: string;
  indexSha256: string;
  documentSha256: string;
  matrixSha256: string;
  /** The codes that the register made of the sidecar; without them they are made when they are loaded. */
  codesSha256: string | null;
  /** Assets of the revision. */
  assetCount: number;
  /** 1 for assets that may be found, by number; null for all. */
  filter: Uint8Array | null;
}

/** `damaged`: the vectors count as none. `unavailable`: they could not be had in time or for lack of room. */
export type VectorUse = 'used' | 'damaged' | 'unavailable';

export interface VectorCandidate {
  /** Which of the libraries. */
  target: number;
  /** The number of the asset. */
  document: number;
  cosine: number;
}

export interface Nearest {
  /** The best first. */
  candidates: VectorCandidate[];
  /** How the vectors of each library were used. */
  uses: VectorUse[];
}
