import {
  type BigIntStats,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { compareUtf8, LIMITS } from '@bindery/contract/wire';
import { TreeError } from '../failures.ts';
import { type FileIdentity, identityOf } from './file-identity.ts';
import { readPart } from './files.ts';
import { refuseUnusablePaths } from './names.ts';
import {
  type FolderRules,
  ignoredBy,
  NO_RULES,
  type PublishOptions,
  PublishRules,
  parseRules,
  type RuleFile,
} from './publish-rules.ts';
import type { SkippedPath } from './skipped-paths.ts';

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
    throw new TreeError(`${folder.slice(0, 100)}… is nested too deep for the paths of a library.`);
  }
  if (files > LIMITS.manifest.files) {
    throw new TreeError(`The folder has more than ${LIMITS.manifest.files} files, the maximum of a library.`);
  }
}

function realFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch {
    throw new TreeError(`There is no folder ${folder}.`);
  }
  throw new TreeError(`${folder} is not a folder.`);
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
    if (path.includes('\uFFFD')) throw new TreeError(`The name of ${path} is not valid UTF-8; rename it.`);
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

/**
 * Returns the rules that the `.gitignore` files above a folder state for what is in it, up to the root of its git
 * repository, the nearest first. None if the folder is not in one, or if they ignore the folder as a whole: then
 * somebody publishes what the repository does not hold.
 */
function rulesAbove(root: string): RuleFile[] {
  const repository = repositoryOf(root);
  if (repository === null) return [];
  const files: RuleFile[] = [];
  for (let folder = repository; folder !== root; folder = nextBelow(folder, root)) {
    const text = readIfPresent(join(folder, '.gitignore'));
    const way = `${relative(folder, root).split(sep).join('/')}/`;
    if (text !== null)
      files.unshift(parseRules([{ name: `${pathUp(folder, root)}.gitignore`, text }], (path) => way + path));
  }
  return ignoredBy({ files }, '') === null ? files : [];
}

function repositoryOf(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function nextBelow(folder: string, root: string): string {
  const [name = ''] = relative(folder, root).split(sep);
  return join(folder, name);
}

/** `../` for each step from `root` up to `folder`. */
function pathUp(folder: string, root: string): string {
  return '../'.repeat(relative(folder, root).split(sep).length);
}

function readIfPresent(file: string): string | null {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

/** Names of the credits files in the folder of the assets they are about. */
export const CREDITS_FILES = { page: 'CREDITS.md', document: 'CREDITS.spdx.json' } as const;

/** The first line of a page that Bindery wrote. */
export const PAGE_MARK =
  '<!-- Written by Bindery; the next sync or pull with --credits replaces this file. -->\n';
const TOOL = /^Tool: bindery-/;

/** Returns the creation time in a document that Bindery wrote; null for any other text. */
export function documentTime(text: string): string | null {
  try {
    const { created, creators } = JSON.parse(text).creationInfo;
    return TOOL.test(creators[0]) && typeof created === 'string' ? created : null;
  } catch {
    return null;
  }
}

/** Whether a file at the top of a folder is a credits file that Bindery wrote there, not the work of an author. */
function isWrittenCredits(file: string, name: string): boolean {
  if (name === CREDITS_FILES.page) return readFileSync(file, 'utf8').startsWith(PAGE_MARK);
  return name === CREDITS_FILES.document && documentTime(readFileSync(file, 'utf8')) !== null;
}
