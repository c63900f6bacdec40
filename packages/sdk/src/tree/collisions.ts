import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentenceWithPaths, TreeError } from '../failures.ts';

/** How a file system treats names. */
export interface NameRules {
  /** Whether `a` and `A` are the same file. */
  foldsCase: boolean;
  /** Whether the composed and the decomposed form of a letter are the same file. */
  foldsNormalization: boolean;
  /** Windows: some names and characters cannot be used, and final dots and spaces are dropped. */
  windows: boolean;
}

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;
const FORBIDDEN_ON_WINDOWS = /[<>:"|?*]|[. ]$/;

/**
 * Throws `TreeError` with the paths that cannot be written to `folder`, or not side by side. Leaves nothing written.
 */
export function refuseCollisions(paths: Iterable<string>, folder: string): void {
  const list = [...paths];
  const unsupported = unsupportedPaths(list, folder);
  if (unsupported.length > 0) {
    throw new TreeError(
      sentenceWithPaths(
        'the disk of this folder does not allow these names; nothing was written:',
        unsupported,
      ),
    );
  }
  const strictest: NameRules = {
    foldsCase: true,
    foldsNormalization: true,
    windows: process.platform === 'win32',
  };
  if (collisions(list, strictest).length === 0) return;
  const found = collisions(list, nameRulesOf(folder));
  if (found.length > 0) {
    throw new TreeError(
      sentenceWithPaths('these files cannot coexist in this folder; nothing was written:', found),
    );
  }
}

/**
 * Returns the paths with names that the file system of a folder cannot hold, such as `a:b` on FAT. `holdsNames` tries
 * names that not every file system can hold, and returns those that this one can; it leaves nothing written.
 */
export function unsupportedPaths(
  paths: Iterable<string>,
  folder: string,
  holdsNames: (names: ReadonlySet<string>) => ReadonlySet<string> = (names) => namesHeldIn(folder, names),
): string[] {
  const doubtful = new Map([...paths].map((path) => [path, path.split('/').filter(isDoubtful)]));
  const names = new Set([...doubtful.values()].flat());
  if (names.size === 0) return [];
  const held = process.platform === 'win32' ? new Set<string>() : holdsNames(names);
  return [...doubtful].filter(([, some]) => some.some((name) => !held.has(name))).map(([path]) => path);
}

/** Returns the paths that collide, or that cannot be written at all, in one phrase each. */
export function collisions(paths: readonly string[], rules: NameRules): string[] {
  const problems = rules.windows ? paths.flatMap(windowsProblem) : [];
  const seen = new Map<string, string>();
  for (const path of paths) {
    for (const prefix of prefixesOf(path)) {
      const folded = fold(prefix, rules);
      const first = seen.get(folded);
      if (first === undefined) seen.set(folded, prefix);
      else if (first !== prefix) problems.push(`${first} and ${prefix}`);
    }
  }
  return [...new Set(problems)];
}

function windowsProblem(path: string): string[] {
  const segment = path.split('/').find(isDoubtful);
  return segment === undefined
    ? []
    : [`${path} (Windows does not allow the name ${JSON.stringify(segment)})`];
}

/** Whether Windows, and some of its file systems elsewhere, cannot hold the name. */
function isDoubtful(name: string): boolean {
  return RESERVED_ON_WINDOWS.test(name) || FORBIDDEN_ON_WINDOWS.test(name);
}

/** The path and every folder above it. */
function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) prefixes.push(path.slice(0, at));
  prefixes.push(path);
  return prefixes;
}

function fold(path: string, { foldsCase, foldsNormalization }: NameRules): string {
  const normal = foldsNormalization ? path.normalize('NFC') : path;
  // Upper case first: this also unifies letters such as the two lower-case sigmas.
  return foldsCase ? normal.toUpperCase().toLowerCase() : normal;
}

/** Tries names in a temporary folder, which it deletes again. */
function nameRulesOf(folder: string): NameRules {
  return inProbe(folder, (probe) => {
    writeFileSync(join(probe, 'a'), '');
    writeFileSync(join(probe, '\u00e9'), '');
    return {
      foldsCase: existsSync(join(probe, 'A')),
      foldsNormalization: existsSync(join(probe, 'e\u0301')),
      windows: process.platform === 'win32',
    };
  });
}

function namesHeldIn(folder: string, names: ReadonlySet<string>): Set<string> {
  return inProbe(folder, (probe) => {
    for (const name of names) {
      try {
        mkdirSync(join(probe, name));
      } catch {
        // Whether it is there is what counts.
      }
    }
    // Some file systems drop the dot at the end of a name.
    return new Set(readdirSync(probe));
  });
}

function inProbe<T>(folder: string, work: (probe: string) => T): T {
  const probe = join(folder, `.bindery-names-${randomBytes(6).toString('hex')}`);
  mkdirSync(probe, { recursive: true });
  try {
    return work(probe);
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}
