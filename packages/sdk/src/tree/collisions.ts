import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentenceWithPaths, TreeError } from '../failures.ts';
import { collisions, isDoubtful, type NameRules } from './names.ts';

/**
 * Throws `TreeError` with the paths that cannot be written to `folder`, or not side by side. Leaves nothing written.
 */
export function refuseCollisions(paths: Iterable<string>, folder: string): void {
  const list = [...paths];
  const unsupported = unsupportedPaths(list, folder);
  if (unsupported.length > 0) {
    throw new TreeError(
      sentenceWithPaths(
        'The disk of this folder does not allow these names; nothing was written:',
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
      sentenceWithPaths('These files cannot coexist in this folder; nothing was written:', found),
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
