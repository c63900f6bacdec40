import type { LibraryState } from './library-state.ts';

/** What a folder remembers of one library. */
export interface Remembered {
  /** What the two had in common when the folder was last in step with it. */
  base: LibraryState;
  /** What a push was about to publish when it was last heard of. */
  published?: LibraryState | null;
  /** Path and SHA-256 of what pulls that did not end were putting in place. */
  arriving?: readonly (readonly [string, string])[];
}

export const NOTHING_COMMON: LibraryState = { assets: new Map(), rootFiles: new Map() };

/** Keeps what a folder had in common with a library. */
export interface FolderMemory {
  /** Null where the folder was never in step with the library; `damaged` where it was and nobody knows how. */
  read(): Remembered | null | 'damaged';
  write(remembered: Remembered): void;
}
