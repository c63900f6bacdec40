import type { Watch } from '@bindery/contract';
import type { LibraryAddress } from '../../access/libraries.ts';

/** One import into a library. */
export interface ImportTask {
  source: string;
  library: LibraryAddress;
  /** The pass by which it publishes. */
  token: string;
  /** The library's id, by which what has arrived is kept for the next import. */
  libraryId: string;
  /** The most bytes of the source; null for no limit. */
  maxBytes: number | null;
}

export type ImportOutcome =
  | { kind: 'done'; result: Omit<NonNullable<Watch['lastResult']>, 'at'> }
  /** For people, in words that tell nothing of the network of the service. */
  | { kind: 'failed'; problem: string }
  /** It was interrupted, and nothing is wrong with the source. */
  | { kind: 'interrupted' };

/** Imports what strangers hold, in processes of their own with limits on time, memory and where they connect to. */
export interface Importer {
  /** Returns why a source cannot be watched here, or null. Throws `unavailable` while too many are asked about. */
  problemOf(source: string): Promise<string | null>;
  run(task: ImportTask, signal: AbortSignal): Promise<ImportOutcome>;
  /** Deletes what has arrived for libraries other than these. */
  keepOnly(libraryIds: ReadonlySet<string>): Promise<void>;
}
