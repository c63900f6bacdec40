import { CURATION_FILE } from '@bindery/contract/wire';

interface ErrorParts {
  /** What the error is about: paths, ids, addresses, numbers. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * An error of this package. `code` says what happened and keeps its meaning; `details` holds what it is about, and the
 * message says both in English.
 */
export class BinderyError extends Error {
  override readonly name: string = 'BinderyError';
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, { details = {}, cause }: ErrorParts = {}) {
    super(message, { cause });
    this.code = code;
    this.details = details;
  }
}

/** A problem with folders and files on this machine. */
export class TreeError extends BinderyError {
  override readonly name = 'TreeError';

  constructor(
    message: string,
    { code = 'folder', ...parts }: ErrorParts & { code?: 'folder' | 'no_project' | 'no_lock' } = {},
  ) {
    super(code, message, parts);
  }
}

/** A variable of the environment has a value that cannot be used; the message begins with its name. */
export class SettingError extends BinderyError {
  override readonly name = 'SettingError';

  constructor(message: string) {
    super('setting', message);
  }
}

/** A disk has less space than what is to be downloaded to it. Nothing was written. */
export class DiskFullError extends BinderyError {
  override readonly name = 'DiskFullError';

  /** `needed` and `free` are bytes. */
  constructor(folder: string, { needed, free }: { needed: number; free: number }) {
    super(
      'disk_full',
      `The disk of ${folder} has ${free} bytes of free space, and ${needed} bytes are to be written to it.`,
      { details: { folder, needed, free } },
    );
  }
}

/** A file was modified while it was being read, so its contents are not known. */
export class FileChangedError extends TreeError {
  constructor(path: string) {
    super(`${path} changed while it was being read; try again when nothing is writing to it.`);
  }
}

type IntegrityCode = 'integrity' | 'content_mismatch' | 'content_lost' | 'manifest_lost';

/**
 * Bytes do not match their hash, or a manifest breaks a rule. Nothing of it was kept. `content_lost`, `manifest_lost`:
 * the service no longer has them.
 */
export class IntegrityError extends BinderyError {
  override readonly name = 'IntegrityError';

  constructor(message: string, { code = 'integrity', ...parts }: ErrorParts & { code?: IntegrityCode } = {}) {
    super(code, message, parts);
  }
}

/** A library, or a release, is not signed as it must be. Nothing of it was used. */
export class SignatureRefusedError extends BinderyError {
  override readonly name = 'SignatureRefusedError';

  /** `problem` says why, as in the contract. */
  constructor(library: string, problem: string, message: string) {
    super('signature', `${library}: ${message}`, { details: { library, problem } });
  }
}

type ConflictCode =
  | 'conflict'
  | 'asset_exists'
  | 'edited_files'
  | 'foreign_credits'
  | 'lock_outdated'
  | 'model_mismatch'
  | 'push_refused'
  | 'revision_gone'
  | 'source_rewritten';

/** The state of the library, or of the folder, does not allow what was requested. Nothing was changed. */
export class ConflictError extends BinderyError {
  override readonly name = 'ConflictError';
  /** What the message is about: assets, paths. */
  readonly items: readonly string[];

  constructor(
    message: string,
    items: readonly string[] = [],
    { code = 'conflict', details }: { code?: ConflictCode; details?: ErrorParts['details'] } = {},
  ) {
    super(code, message, { details: { items, ...details } });
    this.items = items;
  }
}

/** A push would undo what others did, and `force` was not given. */
export class PushRefusedError extends ConflictError {
  /**
   * `pullFirst`: the library to pull before the folder can be pushed; null if a pull would not help. `toMerge`: what a
   * pull kept here and nobody has merged yet.
   */
  constructor(
    message: string,
    {
      items = [],
      pullFirst,
      toMerge = [],
    }: { items?: readonly string[]; pullFirst: string | null; toMerge?: readonly string[] },
  ) {
    super(message, items, { code: 'push_refused', details: { pullFirst, toMerge } });
  }
}

/** What was requested is hidden or missing at a server that is used without signing in. */
export class NotSignedInError extends BinderyError {
  override readonly name = 'NotSignedInError';

  constructor(server: string, wanted: string) {
    super('not_signed_in', `Not signed in to ${server}, which shows no ${wanted} to everybody.`, {
      details: { server },
    });
  }
}

/** A library has no assets with these ids. */
export class AssetNotFoundError extends BinderyError {
  override readonly name = 'AssetNotFoundError';

  constructor(library: string, ids: readonly string[]) {
    super('asset_not_found', `${library} has no asset ${ids.join(', ')}.`, { details: { library, ids } });
  }
}

/** Robots failed in simulation, so nothing was published. */
export class CertificationError extends BinderyError {
  override readonly name = 'CertificationError';

  constructor(problems: readonly { asset: string; file: string; code: string; message: string }[]) {
    const lines = problems.map(({ file, message, code }) => `${file}: ${message} [${code}]`);
    super(
      'certification_failed',
      sentenceWithPaths('Robots fail in simulation; nothing was published:', lines),
      {
        details: { problems },
      },
    );
  }
}

/** A library has no revision with a number, it is not kept any longer, or the caller may not read it. */
export class RevisionNotFoundError extends BinderyError {
  override readonly name = 'RevisionNotFoundError';

  /** `revision` names it, as in `lab/robots#3`. */
  constructor(revision: string, library: string) {
    super(
      'revision_not_found',
      `${revision} does not exist, is no longer kept, or is not yours to read: only members of the namespace read replaced revisions.`,
      { details: { revision, library } },
    );
  }
}

/** Whether an error is one of the operating system with one of these codes, such as `ENOENT`. */
export function isSystemError(error: unknown, ...codes: string[]): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

const MAX_LISTED = 20;

/** Returns a sentence followed by the first paths that it is about, one per line. */
export function sentenceWithPaths(sentence: string, lines: readonly string[]): string {
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
  return [sentence, ...lines.slice(0, MAX_LISTED), ...more].join('\n  ');
}

/** One problem in a file that users write. Lines and columns count from 1. */
export interface FileProblem {
  line: number;
  column: number;
  message: string;
}

/** `bindery.yml` cannot be used. The message has one line for each problem, with its position. */
export class CurationError extends BinderyError {
  override readonly name = 'CurationError';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    const lines = problems.map((p) => `${CURATION_FILE}:${p.line}:${p.column}: ${p.message}`);
    super('bindery_yml', lines.join('\n'), { details: { problems } });
    this.problems = problems;
  }
}

/** A mirror lacks an object, or does not respond as a mirror does. Nothing of what it sent was kept. */
export class MirrorError extends BinderyError {
  override readonly name = 'MirrorError';

  /** `location` is the mirror, as the caller named it. */
  constructor(location: string, problem: string) {
    super('mirror', `The mirror ${location} ${problem}.`, { details: { location } });
  }
}

type ImportCode = 'source_invalid' | 'source_unavailable' | 'source_refused';

/**
 * A source cannot be imported: its address is none, it does not answer, or what it holds is refused. Nothing was
 * published.
 */
export class ImportError extends BinderyError {
  override readonly name = 'ImportError';

  constructor(code: ImportCode, message: string, cause?: unknown) {
    super(code, message, { cause });
  }
}

/** `assets.yml` or `assets.lock` cannot be used. The message has one line for each problem, with its position. */
export class ProjectFileError extends BinderyError {
  override readonly name = 'ProjectFileError';
  readonly problems: readonly FileProblem[];

  constructor(
    file: string,
    problems: readonly FileProblem[],
    code: 'project_file' | 'lock_mismatch' = 'project_file',
  ) {
    const lines = problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    super(code, lines.join('\n'), { details: { file, problems } });
    this.problems = problems;
  }
}
