import { type BigIntStats, type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { compareUtf8, LIMITS } from '@bindery/contract/wire';
import { TreeError } from '../failures.ts';
import { type FileIdentity, identityOf } from './file-identity.ts';
import { type SkippedPath, skipReasonOf } from './skipped-paths.ts';
import { refuseUnusablePaths } from './unusable-paths.ts';
import { isWrittenCredits } from './written-credits.ts';

/** A file of the tree. `path` is relative to the root, separated by `/`. */
export interface ScannedFile extends FileIdentity {
  path: string;
}

export interface ScannedTree {
  /** The real path of the folder, links resolved. */
  root: string;
  /** Sorted by the UTF-8 bytes of their paths. */
  files: ScannedFile[];
  leftOut: SkippedPath[];
}

/**
 * Walks a folder. A link to a file inside the folder counts as that file; links to folders and links out of the folder
 * are left out, and so are hidden and system files. Throws `TreeError` if the folder is missing or contains a path that
 * no library can have.
 */
export function scanTree(folder: string): ScannedTree {
  const root = realFolder(folder);
  const files: ScannedFile[] = [];
  const leftOut: SkippedPath[] = [];
  const pending = [''];
  for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
    for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
      const path = prefix + entry.name;
      const reason = skipReasonOf(entry.name);
      if (reason !== null) leftOut.push({ path, reason });
      else if (entry.isDirectory()) pending.push(`${path}/`);
      else if (prefix === '' && entry.isFile() && isWrittenCredits(join(root, path), path)) {
        leftOut.push({ path, reason: 'credits of a pull' });
      } else visitFile(root, path, entry, files, leftOut);
    }
    refuseOversizedTree(prefix, files.length);
  }
  refuseUnusablePaths(files);
  files.sort((a, b) => compareUtf8(a.path, b.path));
  return { root, files, leftOut };
}

/** Throws as soon as the folder exceeds what a library can contain, so that it is not walked to the end. */
function refuseOversizedTree(folder: string, files: number): void {
  if (folder.length > LIMITS.path.bytes) {
    throw new TreeError(`${folder.slice(0, 100)}… is nested too deep for the paths of a library`);
  }
  if (files > LIMITS.manifest.files) {
    throw new TreeError(`the folder has more than ${LIMITS.manifest.files} files, the maximum of a library`);
  }
}

function realFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch {
    throw new TreeError(`there is no folder ${folder}`);
  }
  throw new TreeError(`${folder} is not a folder`);
}

function visitFile(
  root: string,
  path: string,
  entry: Dirent,
  files: ScannedFile[],
  leftOut: SkippedPath[],
): void {
  if (entry.isFile()) {
    files.push({ path, ...identityOf(lstatOf(root, path)) });
  } else if (entry.isSymbolicLink()) {
    const target = linkTarget(root, path);
    if ('reason' in target) leftOut.push(target);
    else files.push({ path, ...identityOf(target) });
  } else {
    leftOut.push({ path, reason: 'not a regular file' });
  }
}

function lstatOf(root: string, path: string): BigIntStats {
  try {
    return lstatSync(`${root}/${path}`, { bigint: true });
  } catch (error) {
    if (path.includes('\uFFFD')) throw new TreeError(`the name of ${path} is not valid UTF-8; rename it`);
    throw error;
  }
}

function linkTarget(root: string, path: string): BigIntStats | SkippedPath {
  try {
    const target = realpathSync(join(root, path));
    if (target !== root && !target.startsWith(root + sep)) return { path, reason: 'link out of the folder' };
    const stats = statSync(target, { bigint: true });
    if (stats.isDirectory()) return { path, reason: 'link to a folder' };
    return stats.isFile() ? stats : { path, reason: 'not a regular file' };
  } catch {
    return { path, reason: 'broken link' };
  }
}
