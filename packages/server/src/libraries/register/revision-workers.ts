import type { ManifestError, ManifestLayout, ManifestLibrary } from '@bindery/contract';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import type { CodesFile } from '../../revision/vectors/codes-file.ts';
import type { PackedList } from '../../service/packed-list.ts';

/** The port to where manifests are read and indexes are built: away from the event loop, in bounded time and memory. */
export interface RevisionWorkers {
  /** Throws `unavailable` where there is too much to do, `manifest_too_large` where memory does not suffice. */
  build(job: BuildJob): Promise<BuildOutcome>;

  /** Builds the index of a registered revision again. Throws as `build` does. */
  rebuild(job: RebuildJob): Promise<RebuildOutcome>;

  /** Reads a sidecar and quantises what of it can be searched. Throws `unavailable` where there is too much to do. */
  inspectSidecar(job: SidecarJob): Promise<SidecarFindings>;

  close(): Promise<void>;
}

/** A file on this machine that should hold the bytes of this hash. */
export interface NamedFile {
  file: string;
  sha256: string;
}

export interface ManifestFileSource extends NamedFile {
  size: number;
  layout: ManifestLayout;
}

export interface BuildJob {
  manifest: ManifestFileSource;
  /** The index of the revision that is to be replaced, if there is one. */
  previousIndex: NamedFile | null;
  /** Platform artifacts that were uploaded since, or that the client names. */
  artifacts: PackedList<StoredArtifact>;
}

export type BuildOutcome =
  | { kind: 'built'; revision: BuiltRevision }
  | { kind: 'refused'; error: ManifestError }
  /** The file does not hold the bytes that it is named for. */
  | { kind: 'damaged' }
  | { kind: 'previous-damaged' };

export interface RebuildJob {
  manifest: ManifestFileSource;
  /** The list of platform artifacts that was stored with the revision, if it was. */
  artifactList: NamedFile | null;
  /** What is left of the index: where there is no list, the artifacts that can still be read in it count. */
  damagedIndexFile: string;
}

export type RebuildOutcome =
  | { kind: 'rebuilt'; index: Uint8Array; missingArtifacts: Lacking }
  /** The manifest is not there, or holds other bytes than it is named for. */
  | { kind: 'damaged' };

/** Paths that lack their content: the first 100, and how many there are. */
export interface Lacking {
  paths: string[];
  total: number;
}

export interface BuiltRevision {
  library: ManifestLibrary;
  aggregates: Aggregates;
  cover: { path: string; sha256: string } | null;
  /** The sidecar, or the path of the one half that is declared and known. */
  sidecar: Sidecar | { half: string } | null;
  /** The bytes of the revision index. */
  index: Uint8Array;
  /** The bytes of the list of platform artifacts, from which the index can be built again; null where there are none. */
  artifactList: Uint8Array | null;
  /** Places in the closure of files whose content the previous revision does not hold. */
  added: Uint32Array;
  /** Declared platform artifacts that nobody uploaded. */
  missingArtifacts: Lacking;
}

/** What lists show of a revision, over its distinct user files. */
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
  /** The previous revision had the same. */
  unchanged: boolean;
  /** The previous revision had assets with the same ids, so that they have the same numbers. */
  sameAssets: boolean;
}

export interface SidecarJob {
  documentFile: string;
  matrixFile: string;
  /** The index of the revision that is to have the sidecar. */
  indexFile: string;
  /** An earlier revision had this very matrix, and could use it. */
  rowsChecked: boolean;
  /** Codes that an earlier revision had of the same vectors, for assets with the same numbers. */
  knownCodes: CodesFile | null;
  /** Where to write codes, if there are no such ones or they are damaged. */
  codesFile: string;
}

/** Without a `problem` the sidecar can be used. */
export interface SidecarFindings {
  dim: number | null;
  model: string | null;
  problem: string | null;
  /** The hash of the codes, and whether they stand in the job's file; null where there is nothing to be searched. */
  codes: { sha256: string; written: boolean } | null;
}
