/** What a commit says besides its tree. It depends on the revision alone, so all servers name the commit alike. */
export interface CommitText {
  message: string;
  /** Seconds since 1970. */
  date: number;
}

/** A revision that is to be a commit. */
export interface CommitSource {
  manifestSha256: string;
  text: CommitText;
  /** Returns the hash of the revision's index, which is stored. */
  index(): Promise<string>;
}

/** The port to what git's clients see of a library: its revisions as commits, each made once of all its files and kept. */
export interface GitCommits {
  /**
   * Returns the names of the revisions' commits, in hexadecimal digits. Throws `unavailable` if they are not made within
   * a while, and goes on making them, and `ObjectDamaged`.
   */
  commitsOf(storeId: string, revisions: readonly CommitSource[]): Promise<string[]>;
  /** Returns those of the commits that are kept, whether their revisions are or not. */
  known(storeId: string, commits: Iterable<string>): Promise<string[]>;
  /** Returns what some commits consist of and others do not; all are kept. Throws `payload_too_large`. */
  difference(storeId: string, wanted: readonly string[], had: readonly string[]): Promise<GitObjects>;
  deleteStore(storeId: string): Promise<void>;
  close(): Promise<void>;
}

/** Objects of git for a pack. */
export interface GitObjects {
  count: number;
  /** How many of them are files, and the bytes of these. */
  files: number;
  bytes: number;
  /** Paths that are not in the commits, because git would not take them. */
  leftOut: string[];
  read(): AsyncIterable<GitObject>;
}

export type GitObject =
  | { kind: 'commit' | 'tree'; bytes: Uint8Array }
  | { kind: 'blob'; sha256: string; size: number };
