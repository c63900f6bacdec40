import type {
  ManifestChanges,
  ManifestError,
  ManifestFile,
  ManifestLayout,
  ManifestLibrary,
} from '@bindery/contract';
import type { PackedList } from '../../process/packed-list.ts';
import type { AssetChanges } from '../../revision/asset-table.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import type { CodesFile } from '../../revision/vectors/codes-file.ts';
import type { FileChange } from './worker/change-manifest.ts';

/**
 * The port to the workers that read manifests and build indexes, off the event loop, in bounded time and memory.
 */
export interface RevisionWorkers {
  /** Throws `unavailable` if there is too much to do, `manifest_too_large` if memory does not suffice. */
  build(job: BuildJob): Promise<BuildOutcome>;

  /** Makes the next revision of the current one and its changes, if that takes less. Throws as `build` does. */
  splice(job: SpliceJob): Promise<SpliceOutcome>;

  /** Rebuilds the index of a registered revision. Throws as `build` does. */
  rebuild(job: RebuildJob): Promise<RebuildOutcome>;

  /** Applies changes to a manifest of the current layout. Throws as `build` does. */
  change(job: ChangeJob): Promise<ChangeOutcome>;

  /** Reads a sidecar and codes its searchable rows. Throws `unavailable` if there is too much to do. */
  inspectSidecar(job: SidecarJob): Promise<SidecarFindings>;

  /** Reads the vectors of some assets, null for those without. Throws as `inspectSidecar` does. */
  readVectors(job: VectorsJob): Promise<(Float32Array | null)[]>;

  close(): Promise<void>;
}

/** A local file that should hold the bytes of this hash. */
export interface NamedFile {
  file: string;
  sha256: string;
}

interface ManifestFileSource extends NamedFile {
  size: number;
  layout: ManifestLayout;
}

export interface BuildJob {
  manifest: ManifestFileSource;
  /** The previous revision, if there is one: its index, and its manifest if differences from it are wanted. */
  previous: { index: NamedFile; manifest: NamedFile | null } | null;
  /** Platform artifacts that were uploaded since or that the client names. */
  artifacts: PackedList<StoredArtifact>;
  /** The asset that is chosen as the cover. */
  cover: string | null;
}

export type BuildOutcome =
  | { kind: 'built'; revision: BuiltRevision }
  | { kind: 'refused'; error: ManifestError }
  /** The file does not match its hash. */
  | { kind: 'damaged' }
  | { kind: 'previous-damaged' };

export interface SpliceJob {
  /** The manifest that is changed, and the index of its revision. */
  manifest: NamedFile & { size: number };
  index: NamedFile;
  changes: Omit<ManifestChanges, 'library'>;
  /** What the next manifest must have as its SHA-256. */
  sha256: string;
  /** Platform artifacts that the client names. */
  artifacts: PackedList<StoredArtifact>;
  /** The asset that is chosen as the cover. */
  cover: string | null;
}

export type SpliceOutcome =
  | { kind: 'spliced'; manifest: Uint8Array; revision: BuiltRevision }
  /** It must be built as a whole, or refused. */
  | { kind: 'whole' };

export interface RebuildJob {
  manifest: ManifestFileSource;
  /** The list of platform artifacts stored with the revision, if any. */
  artifactList: NamedFile | null;
  /** What is left of the index. Without a list, artifacts are salvaged from it. */
  damagedIndexFile: string;
}

export type RebuildOutcome =
  | { kind: 'rebuilt'; index: Uint8Array; missingArtifacts: MissingPaths }
  /** The manifest is missing or does not match its hash. */
  | { kind: 'damaged' };

export interface ChangeJob {
  manifest: NamedFile & { size: number };
  /** Changes of files, whose assets are to be found, or of whole entries; or back to an earlier revision, the last first. */
  changes:
    | { of: 'files'; files: PackedList<FileChange> }
    | { of: 'entries'; entries: ManifestChanges }
    | { of: 'differences'; files: readonly NamedFile[] };
}

export type ChangeOutcome =
  /** The bytes of the manifest, their SHA-256, and the platform artifacts that changes of files put. */
  | { kind: 'changed'; manifest: Uint8Array; sha256: string; artifacts: ManifestFile[] }
  /** The file is missing or does not match its hash. */
  | { kind: 'damaged' };

/** Paths without content: the first 100, and how many there are. */
export interface MissingPaths {
  paths: string[];
  total: number;
}

/** Local files of a sidecar and of the index of its revision, and the numbers of assets. */
export interface VectorsJob {
  indexFile: string;
  documentFile: string;
  matrixFile: string;
  assets: readonly number[];
}

export interface BuiltRevision {
  library: ManifestLibrary;
  aggregates: Aggregates;
  /** Compared with the previous revision. */
  assetChanges: AssetChanges;
  cover: { path: string; sha256: string } | null;
  /** The hashes of the first thumbnails of assets, each once. */
  thumbnails: string[];
  /** The sidecar, or the path of the only half that is declared and stored. */
  sidecar: Sidecar | { half: string } | null;
  /** The bytes of the revision index. */
  index: Uint8Array;
  /** The bytes of the list of platform artifacts, needed to rebuild the index; null without artifacts. */
  artifactList: Uint8Array | null;
  /** What makes the previous revision of this one; null if it is kept whole. */
  differences: Uint8Array | null;
  /** Positions in the closure of files whose content is new. */
  added: Uint32Array;
  /** Declared platform artifacts that were not uploaded. */
  missingArtifacts: MissingPaths;
}

/** What lists show of a revision, computed over its distinct user files. */
export interface Aggregates {
  assetCount: number;
  fileCount: number;
  totalBytes: number;
  categories: string[];
  kinds: string[];
  licenses: string[];
}

export interface Sidecar {
  document: StoredArtifact;
  matrix: StoredArtifact;
  /** The previous revision had the same sidecar. */
  unchanged: boolean;
  /** The previous revision had the same asset ids, and so the same asset numbers. */
  sameAssets: boolean;
}

export interface SidecarJob {
  documentFile: string;
  matrixFile: string;
  /** The index of the revision with the sidecar. */
  indexFile: string;
  /** The rows of the matrix were checked for an earlier revision. */
  rowsChecked: boolean;
  /** Codes of the same vectors for the same asset numbers, from an earlier revision. */
  knownCodes: CodesFile | null;
  /** Where to write codes if there are none or they are damaged. */
  codesFile: string;
}

/** Without a `problem` the sidecar can be used. */
export interface SidecarFindings {
  dim: number | null;
  model: string | null;
  problem: string | null;
  /**
   * The hash of the codes, and whether they were written to the job's file; null if nothing can be searched.
   */
  codes: { sha256: string; written: boolean } | null;
}
