import type { LibraryState } from './library-state.ts';

/** What is recorded about a folder and one library. */
export interface FolderRecord {
  /** What the two had in common when they were last in step. */
  base: LibraryState;
  /** What the last push was about to publish, if it is unknown whether it did. */
  published?: LibraryState | null;
  /** Path and SHA-256 of the files that unfinished pulls were moving into place. */
  arriving?: readonly (readonly [string, string])[];
  /** The name of the folder into which an unfinished pull moved what it replaced. */
  setAside?: string | undefined;
}

export const EMPTY_BASE: LibraryState = { assets: new Map(), rootFiles: new Map() };

/** Stores what a folder had in common with a library. */
export interface FolderRecordStore {
  /** Returns null if the folder was never in step with the library, `damaged` if the record cannot be read. */
  read(): FolderRecord | null | 'damaged';
  write(remembered: FolderRecord): void;
}
