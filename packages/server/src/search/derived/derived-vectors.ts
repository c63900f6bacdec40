/** What vectors are derived from and made by. */
export interface DerivedKey {
  storeId: string;
  indexSha256: string;
  /** Of the model and of what it is given: see `derivedVersion`. */
  version: string;
}

/** Raised whenever assets are described to a model differently. */
const PREPARATION = 1;

/** Returns what determines derived vectors besides the revision. */
export function derivedVersion({ version }: { version: string }): string {
  return `${PREPARATION} ${version}`;
}

/**
 * The port to the vectors that this server made itself, of revisions that come without vectors of its model. They are
 * files of this machine that can be made again, each in the format of a sidecar.
 */
export interface DerivedVectors {
  /** Returns the folder of the finished vectors of a revision; null if there are none. */
  find(key: DerivedKey): string | null;

  /** Continues the vectors of a revision where an earlier draft stopped. */
  openDraft(key: DerivedKey): Promise<VectorDraft>;

  /** Whether there is room for more. */
  hasRoom(): boolean;

  /** Deletes the vectors and drafts of everything else. */
  keepOnly(keys: readonly DerivedKey[]): Promise<void>;
}

/** The vectors of a revision that are not complete yet. Inputs are SHA-256 of texts or pictures. */
export interface VectorDraft {
  /** Whether the vector of an input is there, or can be taken over from other vectors of the same library and model. */
  has(input: string): Promise<boolean>;

  add(input: string, vector: Float32Array): Promise<void>;

  /** Completes the vectors; assets whose input has none are left out. */
  finish(assets: readonly { id: string; input: string }[], side: 'image' | 'text'): Promise<void>;

  /** Keeps what was added, finished or not. */
  close(): Promise<void>;
}

/** The names of both files in a folder of finished vectors. */
export const DERIVED_FILES = { document: 'vectors.json', matrix: 'vectors.f32' } as const;
