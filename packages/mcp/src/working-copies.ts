import type { LibraryName, RevisionName } from './catalog.ts';

export interface PullReport {
  revision: number;
  fetched: { files: number; bytes: number };
  unchanged: { files: number; bytes: number };
  /** Paths of files that were edited in the folder and stay as they are. */
  kept: readonly string[];
}

export interface FolderStatus {
  /** `absent`: nothing of it is in the folder. */
  status: 'up-to-date' | 'stale' | 'absent';
  revision: number;
  /** What a pull would fetch. */
  files: number;
  bytes: number;
  missing: readonly string[];
  different: readonly string[];
}

interface Changes {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  unchanged: number;
}

export interface PlanReport {
  /** Identifies everything that would be published. */
  plan: string;
  /** The revision that it follows; 0 if there is no library yet. */
  revision: number;
  assets: Changes;
  files: Changes;
  upload: { files: number; bytes: number };
  unchanged: boolean;
  /** Why a push would stop; null if it would not. */
  refusal: string | null;
}

export interface PushReport {
  status: 'published' | 'unchanged';
  revision: number;
}

/**
 * Operations between libraries and folders below a root that the user chose. A folder is named relative to the root,
 * with slashes; one that would lead out of it, by dots or links, is a `ToolError`.
 */
export interface WorkingCopies {
  /** `assets` null: all assets. */
  pull(library: RevisionName, assets: readonly string[] | null, folder: string): Promise<PullReport>;
  check(library: RevisionName, assets: readonly string[] | null, folder: string): Promise<FolderStatus>;
  plan(library: LibraryName, folder: string): Promise<PlanReport>;
  /** Publishes exactly what was planned, or nothing. */
  push(library: LibraryName, folder: string, plan: string): Promise<PushReport>;
}
