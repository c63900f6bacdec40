import { CURATION_FILE } from '@bindery/contract/wire';

/** A problem with folders and files on this machine; the message names the paths and says what to do. */
export class TreeError extends Error {
  override readonly name = 'TreeError';
}

/** A variable of the environment has a value that cannot be used; the message begins with its name. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** A disk has less space than what is to be downloaded to it. Nothing was written. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly folder: string;
  /** In bytes. */
  readonly needed: number;
  /** In bytes. */
  readonly free: number;

  constructor(folder: string, { needed, free }: { needed: number; free: number }) {
    super(
      `the disk of ${folder} has ${free} bytes of free space, and ${needed} bytes are to be written to it`,
    );
    this.folder = folder;
    this.needed = needed;
    this.free = free;
  }
}

/** A file was modified while it was being read, so its contents are not known. */
export class FileChangedError extends TreeError {
  constructor(path: string) {
    super(`${path} changed while it was being read; try again when nothing is writing to it`);
  }
}

/** Bytes do not match their hash, or a manifest breaks a rule. Nothing of it was kept. */
export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';
}

/** The state of the library, or of the folder, does not allow what was requested. Nothing was changed. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** What the message is about: assets, paths. */
  readonly items: readonly string[];

  constructor(message: string, items: readonly string[] = []) {
    super(message);
    this.items = items;
  }
}

/** A push would undo what others did, and `force` was not given. */
export class PushRefusedError extends ConflictError {
  /** The library to pull before the folder can be pushed; null if a pull would not help. */
  readonly pullFirst: string | null;

  constructor(
    message: string,
    { items = [], pullFirst }: { items?: readonly string[]; pullFirst: string | null },
  ) {
    super(message, items);
    this.pullFirst = pullFirst;
  }
}

/** What was requested is hidden or missing at a server that is used without signing in. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
  readonly server: string;

  constructor(server: string, wanted: string) {
    super(`not signed in to ${server}, which shows no ${wanted} to everybody`);
    this.server = server;
  }
}

/** A library has no assets with these ids. */
export class AssetNotFoundError extends Error {
  override readonly name = 'AssetNotFoundError';
  readonly ids: readonly string[];

  constructor(library: string, ids: readonly string[]) {
    super(`${library} has no asset ${ids.join(', ')}`);
    this.ids = ids;
  }
}

const MAX_LISTED = 20;

/** Returns a sentence followed by the first paths that it is about, one per line. */
export function sentenceWithPaths(sentence: string, lines: readonly string[]): string {
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
  return [sentence, ...lines.slice(0, MAX_LISTED), ...more].join('\n  ');
}

/** One problem in `bindery.yml`. Lines and columns count from 1. */
export interface CurationProblem {
  line: number;
  column: number;
  message: string;
}

/** `bindery.yml` cannot be used. The message has one line for each problem, with its position. */
export class CurationError extends Error {
  override name = 'CurationError';
  readonly problems: readonly CurationProblem[];

  constructor(problems: readonly CurationProblem[]) {
    super(problems.map((p) => `${CURATION_FILE}:${p.line}:${p.column}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}

/** A mirror lacks an object, or does not respond as a mirror does. Nothing of what it sent was kept. */
export class MirrorError extends Error {
  override readonly name = 'MirrorError';
  /** The mirror, as the caller named it. */
  readonly location: string;

  constructor(location: string, problem: string) {
    super(`the mirror ${location} ${problem}`);
    this.location = location;
  }
}

/** One problem in a file of a project. Lines and columns count from 1. */
export interface FileProblem {
  line: number;
  column: number;
  message: string;
}

/** `assets.yml` or `assets.lock` cannot be used. The message has one line for each problem, with its position. */
export class ProjectFileError extends Error {
  override readonly name = 'ProjectFileError';
  readonly file: string;
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    super(problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'));
    this.file = file;
    this.problems = problems;
  }
}
