import { blocksFor } from '../../revision/vectors/block.ts';

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

/** A library revision whose vectors are searched, with the hashes of its index and of both files of its sidecar. */
export interface SearchedVectors {
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

/** Splits libraries, in order, into groups that need at most `maxBlocks` blocks, or have a single library. */
export function* waves<Library extends { assetCount: number }>(
  libraries: readonly Library[],
  maxBlocks: number,
): Generator<Library[]> {
  let wave: Library[] = [];
  let blocks = 0;
  for (const library of libraries) {
    const own = blocksFor(library.assetCount);
    if (wave.length > 0 && blocks + own > maxBlocks) {
      yield wave;
      wave = [];
      blocks = 0;
    }
    wave.push(library);
    blocks += own;
  }
  if (wave.length > 0) yield wave;
}
