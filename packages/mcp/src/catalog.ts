import type {
  AskedFilters,
  BindrChoicePage,
  CrossLibraryHit,
  EmptyingFilters,
  EngineVerdict,
  LibrarySummary,
  Note,
  NoteNodes,
  NotePage,
  PageQuery,
  ProjectCatalogPage,
  Release,
  RelevanceFacets,
  ResponseOf,
  routes,
  SimilarAssets,
  SimilarHit,
  Similarity,
  UnderstoodPart,
} from '@bindery/contract';

export interface LibraryName {
  namespace: string;
  name: string;
}

/** A library to read: its current revision, or that of a release. */
export interface RevisionName extends LibraryName {
  release?: string | undefined;
}

/** As above, or one of its revisions by number. */
export interface NumberedName extends RevisionName {
  revision?: number | undefined;
}

/** What differs between two revisions of a library. */
export interface LibraryChanges {
  from: number;
  to: number;
  added: readonly string[];
  removed: readonly string[];
  /** With what differs: `files`, `title`, `license` … */
  changed: readonly { id: string; facts: readonly string[] }[];
}

export interface SearchRequest extends Omit<AskedFilters, 'library'> {
  query: string;
  /** Null: everything that the caller can read. A release must be the only element. */
  libraries: readonly RevisionName[] | null;
  /** Parts of the query that are words, where they would otherwise be read as a filter. */
  asWords?: string[] | undefined;
  /** Whether to count the values that the hits have. */
  facets: boolean;
  limit: number;
  offset: number;
}

export interface FoundAsset {
  hit: CrossLibraryHit;
  /** Returns the bytes of the thumbnail; null if there is none of at most `maxBytes` bytes. */
  picture(maxBytes: number): Promise<Uint8Array | null>;
}

/** How many libraries were searched, and of how many; null if all were. */
export type SearchedShare = { searched: number; libraries: number } | null;

export interface FoundAssets {
  semantic: boolean;
  total: number;
  /** The query with its mistyped words replaced, if that was searched instead, else null. */
  didYouMean: string | null;
  /** The parts of the query that were read as filters. */
  understood: readonly UnderstoodPart[];
  /** The filters because of which nothing was found. */
  emptied: readonly EmptyingFilters[];
  /** Null if not requested. */
  facets: RelevanceFacets | null;
  /** Libraries, as `<namespace>/<name>`, that were not searched: missing, hidden, or not readable just now. */
  skipped: readonly string[];
  partial: SearchedShare;
  found: readonly FoundAsset[];
}

export interface SimilarRequest extends Omit<AskedFilters, 'library'> {
  match?: Similarity | undefined;
  limit: number;
  offset: number;
}

export interface SimilarFound {
  comparedBy: SimilarAssets['comparedBy'];
  total: number;
  skipped: readonly string[];
  partial: SearchedShare;
  found: readonly (FoundAsset & { hit: SimilarHit })[];
}

export interface AssetFile {
  path: string;
  size: number;
  sha256: string;
}

export interface Certificate {
  madeBy: 'publisher' | 'service';
  verdict: 'passed' | 'failed';
  mujoco: string;
  problems: readonly { code: string; message: string }[];
  engines?: readonly EngineVerdict[] | undefined;
}

/** One asset, as it is in a revision of its library. */
export interface AssetCard {
  revision: number;
  id: string;
  title: string | null;
  description: string | null;
  category: string | null;
  tags: readonly string[];
  kind: string;
  format: string | null;
  /** Its own, else that of the library. */
  license: string | null;
  attribution: string | null;
  upstream: Readonly<Record<string, unknown>> | null;
  entry: string | null;
  entryPoints: Readonly<Record<string, { kind: string; file: string }>>;
  meta: Readonly<Record<string, unknown>>;
  /** How the robot behaved in simulation; empty for what is no robot or was not simulated. */
  certificates: readonly Certificate[];
  /** Equal to that of a search hit and of `bindery library info`. */
  digest: string;
  /** The address of its page in the dashboard. */
  page: string;
  fileCount: number;
  totalBytes: number;
  /** A page of the files, in the order of the manifest. */
  files: readonly AssetFile[];
  /** As in `FoundAsset`. */
  picture(maxBytes: number): Promise<Uint8Array | null>;
}

/** A file that was read completely and verified; `bytes` is null if it is larger than requested. */
export interface VerifiedFile extends AssetFile {
  bytes: Uint8Array | null;
}

/**
 * What the tools are based on that need no folder. The command line implements it over HTTP, the service over its use
 * cases; both check who may do what before anything else. Failures are thrown as `ToolError`, which does not distinguish
 * hidden from missing.
 */
export interface Catalog {
  /** The account that asks; null without a token. */
  readProfile(): Promise<ResponseOf<typeof routes.login.getProfile> | null>;
  search(request: SearchRequest): Promise<FoundAssets>;
  /** Finds what is similar to an asset in everything that the caller can read. */
  findSimilar(library: RevisionName, assetId: string, request: SimilarRequest): Promise<SimilarFound>;
  /** Returns at most `limit` libraries of one namespace, or of all if it is null, the most recently changed first. */
  listLibraries(namespace: string | null, limit: number): Promise<readonly LibrarySummary[]>;
  /** Returns a page of releases, newest first; pages count from 1. */
  listReleases(
    library: LibraryName,
    page: { page: number; pageSize: number },
  ): Promise<{ releases: readonly Release[]; totalPages: number }>;
  /** Compares two revisions of a library, the earlier one first. */
  readChanges(from: NumberedName, to: NumberedName): Promise<LibraryChanges>;
  readAsset(
    library: RevisionName,
    assetId: string,
    page: { offset: number; limit: number },
  ): Promise<AssetCard>;
  readFile(library: RevisionName, path: string, maxBytes: number): Promise<VerifiedFile>;
  listProjects(namespace: string, page: PageQuery): Promise<ProjectCatalogPage>;
  /** Returns a page of the Notes of a namespace, or of those filed in one project of it. */
  listNotes(namespace: string, page: PageQuery & { project?: string | undefined }): Promise<NotePage>;
  listNoteNodes(namespace: string, noteId: string): Promise<NoteNodes>;
  listBindrs(
    project: { namespace: string; projectSlug: string },
    page: { search?: string | undefined; first: number; after?: string | undefined },
  ): Promise<BindrChoicePage>;
  /** Has the service simulate a robot, unless it has done so with these files before. */
  certifyAsset(library: RevisionName, assetId: string): Promise<Certificate>;
  /** Releases the current revision, or nothing if it is not `revision`. */
  createRelease(
    library: LibraryName,
    release: { name: string; notes?: string | undefined; revision: number },
  ): Promise<Release>;
  createNote(namespace: string, note: { name: string; projects: string[] }): Promise<Note>;
}
