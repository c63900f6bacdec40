import { CURATION_FILE } from '@bindery/contract/wire';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { compileGlob, type PathMatcher } from '../globs/glob.ts';
import { type SkippedPath, skipReasonOf } from './skipped-paths.ts';

/** Files that name, by git's rules, what their folder and those below it do not publish. The last takes precedence. */
const IGNORE_FILES = ['.gitignore', '.binderyignore'] as const;
/** Of a longer file only the beginning counts. */
const IGNORE_FILE_BYTES = 256 * 1024;

/** What the person who publishes adds to the ignore files of the folder. Globs of paths, or of folders above them. */
export interface PublishOptions {
  /** Published although an ignore file names it. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

/** The rules of the ignore files of one folder. */
export interface RuleFile {
  ignore: Ignore;
  /** Converts a path to one relative to that folder. */
  relative(path: string): string;
}

/** What applies in one folder. */
export interface FolderRules {
  /** The nearest first. */
  readonly files: readonly RuleFile[];
  /** The folder is left out: only what `include` names is published. */
  readonly isLeftOut: boolean;
}

export const NO_RULES: FolderRules = { files: [], isLeftOut: false };

/** Parses the ignore files of one folder, whose names appear in what they leave out. */
export function parseRules(
  texts: readonly { name: string; text: string }[],
  relative: RuleFile['relative'],
): RuleFile {
  const patterns = texts.flatMap(({ name, text }) =>
    text.split(/\r?\n/).map((pattern, at) => ({
      pattern: pattern.replace(/^\uFEFF/, ''),
      mark: `${name}:${at + 1} (${pattern.trim()})`,
    })),
  );
  return { ignore: ignore({ ignorecase: false }).add(patterns), relative };
}

/**
 * Decides what is published of a folder. Likely secrets never are, nor hidden and system files; then come `exclude`,
 * `include` and the ignore files.
 */
export class PublishRules {
  readonly #include: readonly NamedGlob[];
  readonly #exclude: readonly NamedGlob[];
  readonly #read: (path: string, length: number) => Uint8Array;

  /** `read` returns the first bytes of a file. Throws `RangeError` for an invalid glob. */
  constructor(
    { include = [], exclude = [] }: PublishOptions,
    read: (path: string, length: number) => Uint8Array,
  ) {
    this.#include = include.map(namedGlob);
    this.#exclude = exclude.map(namedGlob);
    this.#read = read;
  }

  /** Returns what applies in the folder `prefix` (empty, or ending in a slash), from what applies above it. */
  enter(above: FolderRules, prefix: string, ignoreFiles: readonly string[]): FolderRules {
    if (above.isLeftOut) return above;
    const texts = IGNORE_FILES.filter((name) => ignoreFiles.includes(name)).map((name) => ({
      name: prefix + name,
      text: new TextDecoder().decode(this.#read(prefix + name, IGNORE_FILE_BYTES)),
    }));
    // Files that ignore this folder, which a nearer one has included again, would ignore everything in it.
    const outer = above.files.filter(
      (file) => prefix === '' || ignoredBy({ files: [file] }, prefix) === null,
    );
    if (texts.length === 0) return { ...above, files: outer };
    return { ...above, files: [parseRules(texts, (path) => path.slice(prefix.length)), ...outer] };
  }

  /** Returns why a file is not published, or null. `'folder'`: an entry of its folder says so already. */
  skipFile(rules: FolderRules, path: string): SkippedPath | null | 'folder' {
    if (rules.isLeftOut && this.#included(path) === undefined) return 'folder';
    const skipped = this.#skip(rules, path, false);
    if (skipped !== null) return skipped;
    if (mayHoldPrivateKey(path) && holdsPrivateKey((length) => this.#read(path, length)))
      return { path, reason: 'likely secret' };
    return null;
  }

  /**
   * Decides about a folder, without its closing slash. `skipped` is what to say of it if it is not published; `rules`
   * are those with which to look into it, null if nothing in it can be published.
   */
  skipFolder(rules: FolderRules, path: string): { skipped: SkippedPath | null; rules: FolderRules | null } {
    const skipped = this.#skip(rules, path, true);
    if (skipped === null) return { skipped, rules };
    if (rules.isLeftOut) return { skipped: null, rules: null };
    const looksInside = skipped.reason === 'ignored' && this.#include.length > 0;
    return { skipped, rules: looksInside ? { files: [], isLeftOut: true } : null };
  }

  #skip(rules: FolderRules, path: string, isFolder: boolean): SkippedPath | null {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!isFolder && isSecretName(name)) return { path, reason: 'likely secret' };
    const reason = skipReasonOf(name);
    if (reason !== null) return { path, reason };
    const excluded = this.#exclude.find(({ matches }) => matches(path));
    if (excluded !== undefined) return { path, reason: 'excluded', by: excluded.glob };
    if (path === CURATION_FILE || this.#included(path) !== undefined) return null;
    const by = ignoredBy(rules, isFolder ? `${path}/` : path);
    return by === null ? null : { path, reason: 'ignored', by };
  }

  /** Returns the glob that includes a path or a folder above it. */
  #included(path: string): NamedGlob | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const found = this.#include.find(({ matches }) => matches(path.slice(0, end)));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

interface NamedGlob {
  glob: string;
  matches: PathMatcher;
}

function namedGlob(glob: string): NamedGlob {
  return { glob, matches: compileGlob(glob.replace(/\/$/, '')) };
}

/** Returns the place of the rule that leaves a path out, or null: the nearest file that has a rule for it decides. */
export function ignoredBy({ files }: Pick<FolderRules, 'files'>, path: string): string | null {
  for (const { ignore: rules, relative } of files) {
    const { ignored, unignored, rule } = rules.test(relative(path));
    if (ignored) return rule?.mark ?? null;
    if (unignored) return null;
  }
  return null;
}

/** Names of files that hold keys or passwords and nothing else. Names that a model or a licence may have are not among them. */
const SECRET_NAMES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[._]netrc|\.env(?:\..+)?|\.git-credentials|\.pgpass|\.htpasswd|\.npmrc|\.pypirc|credentials(?:\.(?:json|ya?ml|toml|ini|csv))?|client_secret[\w.-]*\.json|service[-_]account[\w.-]*\.json|.+\.(?:ppk|p12|pfx|jks|keystore|kdbx))$/i;
const KEY_NAMES = /\.(?:pem|key)$/i;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/;
/** A chain of certificates may come before the key. */
const KEY_BYTES = 64 * 1024;

export function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name);
}

export function mayHoldPrivateKey(path: string): boolean {
  return KEY_NAMES.test(path);
}

/** `read` returns the first bytes of the file. */
export function holdsPrivateKey(read: (length: number) => Uint8Array): boolean {
  return PRIVATE_KEY.test(new TextDecoder('latin1').decode(read(KEY_BYTES)));
}
