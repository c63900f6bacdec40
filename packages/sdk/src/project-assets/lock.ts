import { ASSET_ID, compareUtf8, RELEASE_NAME, SHA256_HEX, userPathProblem } from '@bindery/contract/wire';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { parseServerAddress } from '../client/server-urls.ts';
import { type FileProblem, ProjectFileError } from '../failures.ts';
import { parseLibraryAddress } from '../library/library-address.ts';
import { parseCanonicalUse } from './use.ts';

export const LOCK_FILE = 'assets.lock';
const LOCK_VERSION = 1;
const MAX_BYTES = 64 * 1024 * 1024;

/** The revision of a library that a project uses. */
export interface LockedLibrary {
  server: string;
  /** Absent if the project names none. */
  release?: string;
  revision: number;
  /** Identifies the bytes of its manifest; `size` in bytes. */
  manifest: { sha256: string; size: number };
}

export interface LockedAsset {
  /** Unique in the project. */
  name: string;
  /** `ns/name`. */
  library: string;
  /** Its id. */
  asset: string;
  /** Digest of its files. */
  digest: string;
  /** The file to open, a path in the library; absent if none is known. */
  entry?: string;
}

/** The contents of `assets.lock`: which bytes a project uses. */
export interface Lock {
  /** As `canonicalUses` returns them; the lock matches an `assets.yml` with the same uses. */
  uses: string[];
  /** By `ns/name`. */
  libraries: Record<string, LockedLibrary>;
  assets: LockedAsset[];
}

/** Returns the text of a lock; equal locks have equal texts. */
export function formatLock({ uses, libraries, assets }: Lock): string {
  const ordered = {
    lockVersion: LOCK_VERSION,
    uses: uses.toSorted(compareUtf8),
    libraries: Object.fromEntries(
      Object.entries(libraries)
        .sort(([a], [b]) => compareUtf8(a, b))
        .map(
          ([
            name,
            {
              server,
              release,
              revision,
              manifest: { sha256, size },
            },
          ]) => [name, { server, release, revision, manifest: { sha256, size } }],
        ),
    ),
    assets: assets
      .map(({ name, library, asset, digest, entry }) => ({ name, library, asset, digest, entry }))
      .sort((a, b) => compareUtf8(a.name, b.name)),
  };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

/** Parses a lock. Throws `ProjectFileError` with line, column and key of the problem, or for a newer format. */
export function parseLock(text: string): Lock {
  if (text.length > MAX_BYTES) throw problemAt(text, [], `is larger than ${MAX_BYTES} bytes`);
  const document = parseJson(text);
  const { lockVersion } = isRecord(document) ? document : {};
  if (typeof lockVersion === 'number' && lockVersion > LOCK_VERSION) {
    const newer = `has the newer format ${lockVersion}; this version of Bindery reads ${LOCK_VERSION}. Install a newer one`;
    throw problemAt(text, ['lockVersion'], newer);
  }
  try {
    const lock = lockOf(document);
    // Text that `formatLock` would not write may have a duplicate key, of which parsers take one or the other.
    if (formatLock(lock) !== text.replaceAll('\r\n', '\n')) refuseUnreadable(text);
    return lock;
  } catch (error) {
    if (error instanceof LockFormatError) throw problemAt(text, error.path, error.message);
    throw error;
  }
}

/** A problem at a place of the document. */
class LockFormatError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], rule: string) {
    super(`${path.length === 0 ? 'the document' : path.join('.')} ${rule}`);
    this.path = path;
  }
}

type Path = readonly (string | number)[];

function lockOf(value: unknown): Lock {
  const { lockVersion, uses, libraries, assets } = fields(
    value,
    [],
    ['lockVersion', 'uses', 'libraries', 'assets'],
  );
  if (lockVersion !== LOCK_VERSION) throw new LockFormatError(['lockVersion'], `must be ${LOCK_VERSION}`);
  const locked = Object.fromEntries(
    Object.entries(record(libraries, ['libraries'])).map(([name, library]) => [
      name,
      libraryOf(name, library),
    ]),
  );
  const lock = {
    uses: list(uses, ['uses']).map((use, at) => useOf(use, ['uses', at])),
    libraries: locked,
    assets: list(assets, ['assets']).map((asset, at) => assetOf(asset, ['assets', at], locked)),
  };
  const names = new Set<string>();
  for (const [at, { name }] of lock.assets.entries()) {
    if (names.has(name)) throw new LockFormatError(['assets', at, 'name'], 'is there twice');
    names.add(name);
  }
  return lock;
}

function libraryOf(name: string, value: unknown): LockedLibrary {
  const path = ['libraries', name];
  const address = parseLibraryAddress(name);
  if (address === null || address.release !== undefined)
    throw new LockFormatError(path, 'is not named as a library');
  const { server, release, revision, manifest } = fields(
    value,
    path,
    ['server', 'revision', 'manifest'],
    ['release'],
  );
  const { sha256, size } = fields(manifest, [...path, 'manifest'], ['sha256', 'size']);
  return {
    server: serverOf(server, [...path, 'server']),
    ...(release === undefined
      ? {}
      : {
          release: matching(
            release,
            RELEASE_NAME.pattern,
            [...path, 'release'],
            'must be the name of a release',
          ),
        }),
    revision: integer(revision, [...path, 'revision']),
    manifest: {
      sha256: matching(sha256, SHA256_HEX.pattern, [...path, 'manifest', 'sha256'], 'must be a SHA-256'),
      size: integer(size, [...path, 'manifest', 'size']),
    },
  };
}

function assetOf(value: unknown, path: Path, libraries: Record<string, LockedLibrary>): LockedAsset {
  const { name, library, asset, digest, entry } = fields(
    value,
    path,
    ['name', 'library', 'asset', 'digest'],
    ['entry'],
  );
  if (typeof library !== 'string' || !Object.hasOwn(libraries, library)) {
    throw new LockFormatError([...path, 'library'], 'must be one of the libraries listed above');
  }
  return {
    name: matching(name, ASSET_ID.pattern, [...path, 'name'], 'must be a valid asset name'),
    library,
    asset: matching(asset, ASSET_ID.pattern, [...path, 'asset'], 'must be the id of an asset'),
    digest: matching(digest, /^sha256:[0-9a-f]{64}$/, [...path, 'digest'], 'must be the digest of an asset'),
    ...(entry === undefined ? {} : { entry: pathOf(entry, [...path, 'entry']) }),
  };
}

function useOf(value: unknown, path: Path): string {
  try {
    if (typeof value !== 'string') throw new TypeError('it must be a string');
    parseCanonicalUse(value);
    return value;
  } catch (error) {
    if (error instanceof TypeError) throw new LockFormatError(path, `is not a valid use: ${error.message}`);
    throw error;
  }
}

function serverOf(value: unknown, path: Path): string {
  try {
    if (typeof value === 'string' && parseServerAddress(value) === value) return value;
  } catch {}
  throw new LockFormatError(path, 'must be the address of a server');
}

function pathOf(value: unknown, path: Path): string {
  const problem = typeof value === 'string' ? userPathProblem(value) : 'must be a path';
  if (typeof value !== 'string' || problem !== null) throw new LockFormatError(path, String(problem));
  return value;
}

function matching(value: unknown, pattern: RegExp, path: Path, rule: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new LockFormatError(path, rule);
  return value;
}

function integer(value: unknown, path: Path): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0)
    throw new LockFormatError(path, 'must be an integer');
  return Number(value);
}

function fields<R extends string, O extends string = never>(
  value: unknown,
  path: Path,
  required: readonly R[],
  optional: readonly O[] = [],
): Record<R, unknown> & Partial<Record<O, unknown>> {
  const found = record(value, path);
  const known: readonly string[] = [...required, ...optional];
  const unknown = Object.keys(found).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new LockFormatError([...path, unknown], 'is an unknown key');
  const missing = required.find((key) => !Object.hasOwn(found, key));
  if (missing !== undefined) throw new LockFormatError(path, `has no ${missing}`);
  return found as Record<R, unknown> & Partial<Record<O, unknown>>;
}

function record(value: unknown, path: Path): Record<string, unknown> {
  if (!isRecord(value)) throw new LockFormatError(path, 'must be an object');
  return value;
}

function list(value: unknown, path: Path): unknown[] {
  if (!Array.isArray(value)) throw new LockFormatError(path, 'must be a list');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [message = ''] = error instanceof Error ? error.message.split(', ..."', 1) : [];
    // V8 does not always report the position.
    refuseUnreadable(text, `is not valid JSON: ${message}`);
    throw new ProjectFileError(LOCK_FILE, [{ line: 1, column: 1, message: `is not valid JSON: ${message}` }]);
  }
}

/** JSON is YAML, whose parser can locate syntax errors and duplicate keys. Throws for the first of them. */
function refuseUnreadable(text: string, reason?: string): void {
  const lines = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [first] = errors;
  if (first === undefined) return;
  const { line, col } = lines.linePos(first.pos[0]);
  throw new ProjectFileError(LOCK_FILE, [{ line, column: col, message: reason ?? first.message }]);
}

/** Returns the error for a value, with the position of its key. */
function problemAt(text: string, path: Path, message: string): ProjectFileError {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problem: FileProblem = { line: 1, column: 1, message };
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
    const key = isMap(parent)
      ? parent.items.find((pair) => isScalar(pair.key) && pair.key.value === path[length - 1])?.key
      : document.getIn(path.slice(0, length), true);
    if (!isNode(key) || !key.range) continue;
    const { line, col } = lines.linePos(key.range[0]);
    return new ProjectFileError(LOCK_FILE, [{ ...problem, line, column: col }]);
  }
  return new ProjectFileError(LOCK_FILE, [problem]);
}
