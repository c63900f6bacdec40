import type { ManifestAsset, ManifestLibrary } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import { ImportError } from '../failures.ts';
import type { UpstreamRequests } from './requests.ts';

/** A file of a source. */
export interface UpstreamFile {
  /** Where it is in the source; of an archive, the folder that it is unpacked to, which is empty for the root. */
  path: string;
  /** Differs whenever the content does. */
  version: string;
  /** In bytes; null if the source does not say. */
  size: number | null;
  /** What its bytes have to hash to, if the source says; `git` is SHA-1 of a blob as git stores it. */
  digest: { algorithm: 'sha256' | 'git'; hex: string } | null;
  /** Its permanent address, for people. */
  url: string;
  /** A strong entity tag of its content, by which the rest of what was cut off can be requested. */
  etag?: string;
  /** Of an archive whose files are imported in its place: which kind it is. */
  archive?: 'zip' | 'tar' | undefined;
}

/** What a source says about everything in a folder. */
export interface UpstreamFolder {
  title?: string;
  license?: string;
  attribution?: string;
}

/** A source as it was at one moment. */
export interface UpstreamTree {
  /** Its address, without credentials. */
  source: string;
  /** What it is pinned to: a commit, or a version; null if the source has none. */
  revision: string | null;
  library: ManifestLibrary;
  folders: ReadonlyMap<string, UpstreamFolder>;
  files: readonly UpstreamFile[];
  /** Its assets, if it says what they are; otherwise they are found. */
  assets?: readonly ManifestAsset[];
  /** What is there and cannot be imported, with the reason. */
  leftOut: readonly { path: string; reason: string }[];
  /** How many files may be read at once. */
  concurrency: number;
  /** Reads a file, from a byte on if the source can. */
  open(
    file: UpstreamFile,
    from: number,
    signal: AbortSignal,
  ): Promise<{ from: number; bytes: AsyncIterable<Uint8Array> }>;
  /** Whether the revision is a later one of the same history; null if the source does not say. */
  continues(earlier: string, signal?: AbortSignal): Promise<boolean | null>;
  close(): Promise<void>;
}

/** What sources are opened with. */
export interface UpstreamContext {
  requests: UpstreamRequests;
  /** A folder of this source alone, which survives between imports. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The most files; those of a library without it. */
  maxFiles?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** One kind of source. */
export interface SourceKind {
  /** How it is typed. */
  example: string;
  /** Returns null for an address of another kind. Throws `ImportError`. */
  parse(address: string): ParsedSource | null;
}

export interface ParsedSource {
  /** The same for every revision of the source. */
  key: string;
  /** Returns the address that is asked first; null for a source that is on this machine. */
  address(environment: UpstreamContext['environment']): string | null;
  open(context: UpstreamContext): Promise<UpstreamTree>;
}

/** Throws `ImportError` for more files than a library holds, so that no list is read without an end. */
export function refuseTooMany(files: number, most: number = LIMITS.manifest.files): void {
  if (files > most)
    throw new ImportError('source_refused', `The source has more than ${most} files, the maximum.`);
}

/** The error for a file that is not as the source says. */
export function wrong({ path, url }: UpstreamFile, what: string): ImportError {
  return new ImportError('source_refused', `${path || url} ${what}.`);
}
