import type { LibraryName, RevisionName, SimilarFound, SimilarRequest } from './catalog.ts';

export interface PullReport {
  revision: number;
  /** The real path of the folder on this machine. */
  folder: string;
  /** What to open of each pulled asset, relative to the folder, and its licence. */
  opened: readonly { asset: string; entry: string | null; license: string | null }[];
  fetched: { files: number; bytes: number };
  /** Files that this machine had, in its cache or in other folders. */
  cached: { files: number; bytes: number };
  unchanged: { files: number; bytes: number };
  /** Paths of files that were edited in the folder and stay as they are. */
  kept: readonly string[];
  /** Paths of files that were deleted in the folder and were not restored. */
  deleted: readonly string[];
  /** Files that were created or edited in the folder during the pull and had to be moved away; null if there are none. */
  setAside: { folder: string; files: readonly string[] } | null;
  /** Paths of files that were not placed, because other programs trust what is there, or the disk does not allow the name. */
  refused: readonly string[];
}

/** What a project folder has locked of a library, and what it would get now. */
export interface OutdatedLibrary {
  library: string;
  locked: { release: string | null; revision: number };
  now: { release: string | null; revision: number };
  /** Names of assets in the project. */
  changed: readonly string[];
  gone: readonly string[];
  /** Ids of assets that the uses of the project match and that are not locked. */
  added: readonly string[];
}

export interface SyncReport {
  /** The real path of the folder with the assets. */
  folder: string;
  lockChanged: boolean;
  /** Entries are relative to the folder of the assets. */
  assets: readonly { name: string; library: string; asset: string; entry: string | null }[];
  fetched: { files: number; bytes: number };
  cached: { files: number; bytes: number };
  unchanged: { files: number; bytes: number };
  removed: readonly string[];
  /** Files that no longer belong to the project, but were edited, so they stay. */
  left: readonly string[];
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
  /** Texts and licences that assets which stay, or the library (null), no longer have. */
  removedMetadata: readonly { asset: string | null; keys: readonly string[] }[];
  /** Published files that a rule of the folder leaves out, or that look like secrets; the push removes them. */
  withheld: readonly { path: string; reason: string; by?: string }[];
  /** What the folder has and the library will not. */
  leftOut: readonly { path: string; reason: string; by?: string }[];
  unchanged: boolean;
  /** Why a push would stop; null if it would not. */
  refusal: string | null;
}

export interface PushReport {
  status: 'published' | 'unchanged';
  revision: number;
}

export interface SceneAsset {
  library: RevisionName;
  asset: string;
  /** Where its middle is, in metres: on the floor, or from the middle of what it stands on; beside the others if omitted. */
  at?: readonly [x: number, y: number] | undefined;
  /** The id of an earlier asset of the scene, on top of which it stands. */
  on?: string | undefined;
  /** Resizes a mesh. */
  scale?: number | undefined;
  /** About the vertical axis, in degrees. */
  turn: number;
}

export interface SceneReport {
  /** The real path of the folder with `scene.xml` and `scene.usdz`. */
  folder: string;
  placed: readonly {
    library: string;
    revision: number;
    asset: string;
    license: string | null;
    attribution: string | null;
    /** What its bodies and joints are called after. */
    name: string;
    at: readonly [x: number, y: number];
    /** How high above the floor it begins. */
    height: number;
    /** Sides of the box around it, in metres. */
    size: readonly [x: number, y: number, z: number];
  }[];
  losses: readonly { what: string; names: readonly string[]; why: string }[];
  /** The version of MuJoCo in which the scene was simulated, and what was found. */
  mujoco: string;
  problems: readonly { code: string; message: string }[];
}

export interface SimilarToFile extends SimilarFound {
  /** Files that the given file refers to and that are not there. */
  missing: readonly string[];
}

/**
 * Operations between libraries and folders below a root that the user chose. A folder is named relative to the root,
 * with slashes, or by its absolute path; one that would lead out of it, by dots or links, is a `ToolError`. An operation whose signal aborts
 * stops; a push has then published nothing, unless its last request was on the way.
 */
export interface WorkingCopies {
  /** `assets` null: all assets. */
  pull(
    library: RevisionName,
    assets: readonly string[] | null,
    folder: string,
    signal: AbortSignal,
  ): Promise<PullReport>;
  check(
    library: RevisionName,
    assets: readonly string[] | null,
    folder: string,
    signal: AbortSignal,
  ): Promise<FolderStatus>;
  /** Finds what is similar to a model or a picture in a file, in everything that the caller can read. */
  findSimilar(file: string, request: SimilarRequest, signal: AbortSignal): Promise<SimilarToFile>;
  /** Of the project folder with an `assets.lock`; empty if the files of all assets are those that are locked. */
  outdated(folder: string, signal: AbortSignal): Promise<readonly OutdatedLibrary[]>;
  /**
   * Adds `use` to `assets.yml` and puts what it lists in place; what is locked stays, unless `upgrade`. Files that were
   * edited are never replaced.
   */
  sync(
    folder: string,
    options: { use: readonly string[]; upgrade: boolean },
    signal: AbortSignal,
  ): Promise<SyncReport>;
  /** Writes a scene of assets into a new folder, all of it or nothing. */
  compose(assets: readonly SceneAsset[], folder: string, signal: AbortSignal): Promise<SceneReport>;
  /** `thumbnails`: whether models without one are drawn, and all models described. */
  plan(library: LibraryName, folder: string, thumbnails: boolean, signal: AbortSignal): Promise<PlanReport>;
  /** Publishes exactly what was planned, with the same `thumbnails`, or nothing. */
  push(
    library: LibraryName,
    folder: string,
    planned: { plan: string; thumbnails: boolean },
    signal: AbortSignal,
  ): Promise<PushReport>;
}
