import type { CodesFile } from '../../revision/vectors/codes-file.ts';

/** The port to exact vector search over library revisions; the work is done off the event loop. */
export interface VectorSearch {
  /** Starts loading vectors that are about to be searched, as far as there is unused room. */
  prepare(libraries: readonly SearchedVectors[]): void;

  /**
   * Returns the 100 assets of the libraries whose vectors have the highest cosines with the query, a vector of length
   * 1. Ties go to the earlier library, then to the lower asset number. Never throws because of a library: one whose
   * vectors cannot be used contributes no candidates.
   */
  nearest(query: Float32Array, libraries: readonly SearchedVectors[]): Promise<Nearest>;

  close(): Promise<void>;
}

/** The vectors of a library revision, named by the hashes of its index and of both files of its sidecar. */
export interface RevisionVectors {
  storeId: string;
  indexSha256: string;
  documentSha256: string;
  matrixSha256: string;
  /** The codes that the register made from the sidecar; if null, they are computed when the vectors are loaded. */
  codesSha256: string | null;
  /** Where the sidecar is if it is none of the library's store: a folder of this machine. */
  folder?: string | undefined;
  /** The number of assets in the revision. */
  assetCount: number;
}

/** Vectors of several libraries that were joined: files of this machine. */
export interface JoinedVectors {
  matrixFile: string;
  codes: CodesFile;
  /** How many assets there are in the part of a segment that they are of. */
  assetCount: number;
  /** Whether a search found the files damaged or gone: it then searches the libraries one by one. */
  isDamaged: boolean;
}

/** Where vectors of a revision are among joined ones. */
export interface JoinedPlace extends Pick<RevisionVectors, 'documentSha256' | 'matrixSha256'> {
  /** Null if the vectors of the revision could not be joined. */
  vectors: JoinedVectors | null;
  /** The number of its first asset in them. */
  first: number;
}

/** The vectors of a library, as they are searched. */
export interface SearchedVectors extends RevisionVectors {
  /** If the library is searched together with others. */
  joined?: JoinedPlace | undefined;
  /** 1 for each asset that can be found, by number; null for all. */
  filter: Uint8Array | null;
}

/**
 * `damaged`: the vectors count as missing. `unavailable`: they could not be loaded or read, e.g. for lack of time or
 * room.
 */
export type VectorUse = 'used' | 'damaged' | 'unavailable';

export interface VectorCandidate {
  /** The position of the library in the given list. */
  target: number;
  /** The number of the asset. */
  document: number;
  cosine: number;
}

export interface Nearest {
  /** Best first. */
  candidates: VectorCandidate[];
  /** How the vectors of each library were used. */
  uses: VectorUse[];
}
