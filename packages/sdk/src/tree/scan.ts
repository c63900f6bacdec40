import { type BigIntStats, type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { compareUtf8, LIMITS } from '@bindery/contract/wire';
import { TreeError } from '../failures.ts';
import { type FileIdentity, identityOf } from './file-identity.ts';
import { type FolderRules, NO_RULES, type PublishOptions, PublishRules } from './publish-rules.ts';
import { readPart } from './read-part.ts';
import { rulesAbove } from './rules-above.ts';
import type { SkippedPath } from './skipped-paths.ts';
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
 * are left out, and so is what `PublishRules` says, in the repository of which the folder is a part. Throws `TreeError`
 * if the folder is missing or contains a path that no library can have.
 */
export function scanTree(folder: string, options: PublishOptions = {}): ScannedTree {
  const root = realFolder(folder);
  const files: ScannedFile[] = [];
  const leftOut: SkippedPath[] = [];
  const publishing = new PublishRules(options, (path, length) => readPart(`${root}/${path}`, 0, length));
  const pending = [{ prefix: '', above: { ...NO_RULES, files: rulesAbove(root) } as FolderRules }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { prefix, above } = next;
    const entries = readdirSync(join(root, prefix), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const rules = publishing.enter(above, prefix, names);
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (entry.isDirectory()) {
        const inside = publishing.skipFolder(rules, path);
        if (inside.skipped !== null) leftOut.push(inside.skipped);
        if (inside.rules !== null) pending.push({ prefix: `${path}/`, above: inside.rules });
      } else if (prefix === '' && entry.isFile() && isWrittenCredits(join(root, path), path)) {
        leftOut.push({ path, reason: 'credits of a pull' });
      } else {
        const found = visitFile(root, path, entry);
        const skipped = 'reason' in found ? found : publishing.skipFile(rules, path);
        if (skipped === null) files.push(found as ScannedFile);
        else if (skipped !== 'folder') leftOut.push(skipped);
      }
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

function visitFile(root: string, path: string, entry: Dirent): ScannedFile | SkippedPath {
  if (entry.isFile()) return { path, ...identityOf(lstatOf(root, path)) };
  if (!entry.isSymbolicLink()) return { path, reason: 'not a regular file' };
  const target = linkTarget(root, path);
  return 'reason' in target ? target : { path, ...identityOf(target) };
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
