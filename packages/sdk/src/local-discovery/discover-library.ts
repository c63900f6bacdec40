import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CURATION_FILE, LIMITS, README_FILE } from '@bindery/contract/wire';
import { parseCuration } from '../curation/curation.ts';
import { discoverAssets } from '../discovery/discover.ts';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';
import type { Examination } from '../discovery/examine.ts';
import { leftOutReferences } from '../discovery/warnings.ts';
import { TreeError } from '../failures.ts';
import { readNamed } from '../tree/files.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import { type ScannedFile, type ScannedTree, scanTree } from '../tree/scan.ts';
import { describeRule, isStated } from '../tree/skipped-paths.ts';
import { DiscoveryCache, type RecalledResult } from './discovery-cache.ts';
import { examineTree, readIn } from './facts-cache.ts';

/** A library as found in a folder on this machine. */
export interface DiscoveredFolder extends DiscoveredLibrary<ScannedFile> {
  /** The real path of the folder. */
  root: string;
  curation: Buffer | null;
}

export interface DiscoveryOptions extends PublishOptions {
  cacheFolder?: string | undefined;
  /** Called before files of the folder, whose real path is `root`, are examined. */
  onExamining?: ((root: string, files: readonly ScannedFile[]) => void) | undefined;
}

/** A folder before its files are read. */
export interface ScannedFolder extends Pick<ScannedTree, 'root' | 'files' | 'leftOut'> {
  curation: Buffer | null;
}

/** What the files of a folder are, without the folder itself. */
export type FolderContents = Omit<DiscoveredLibrary<ScannedFile>, 'curation'>;

/** `discoverFolder` on the thread that calls it. */
export function discoverLibrary(folder: string, options: DiscoveryOptions = {}): DiscoveredFolder {
  const scanned = scanFolder(folder, options);
  const { cacheFolder } = options;
  const known = recall(scanned, cacheFolder);
  const found = known?.whenMarked(marksOf(scanned.root, known.changed));
  return completed(scanned, found ?? discoverScanned(scanned, cacheFolder));
}

export function scanFolder(folder: string, options: DiscoveryOptions): ScannedFolder {
  const { root, files, leftOut } = scanTree(folder, options);
  return { root, files, leftOut, curation: readCuration(root) };
}

/** What was found in the folder before, while nothing in it has changed by which it was found. */
export function recall(
  { root, files, curation }: ScannedFolder,
  cacheFolder: string | undefined,
): RecalledResult | undefined {
  return cacheFolder === undefined
    ? undefined
    : new DiscoveryCache(root, cacheFolder, files, curation).read();
}

/** Finds the assets among the files of a folder. */
export function discoverScanned(
  { root, files, curation }: Omit<ScannedFolder, 'leftOut'>,
  cacheFolder: string | undefined,
): FolderContents {
  const known =
    cacheFolder === undefined ? undefined : new DiscoveryCache(root, cacheFolder, files, curation);
  let examination: Examination | undefined;
  const examine = (published: readonly ScannedFile[]) => {
    examination = examineTree(root, published, cacheFolder);
    return examination;
  };
  const reading = readIn(root);
  const followed = new Set<string>();
  const read = (path: string, start: number, length: number) => {
    followed.add(path);
    return reading(path, start, length);
  };
  const source = { files, curation, read: Object.assign(read, { during: reading.during }), examine };
  const { curation: _, ...found } = discoverAssets(source);
  const { facts, unexamined } = examination ?? { facts: new Map(), unexamined: [] };
  // What macros include counts with every word.
  if (unexamined.length === 0)
    known?.write(found, (file) => (followed.has(file.path) ? '-' : markOf(file, facts)));
  return found;
}

/** Examines files; returns marks of all that the assets of their folder depend on: equal marks, equal assets. */
export function marksOf(root: string, files: readonly ScannedFile[]): string[] {
  const { facts } = examineTree(root, files, undefined);
  return files.map((file) => markOf(file, facts));
}

function markOf({ path, size }: ScannedFile, facts: Examination['facts']): string {
  const isTooLong = path === README_FILE && size > LIMITS.readmeBytes;
  return hash('sha256', JSON.stringify([facts.get(path) ?? null, isTooLong])).slice(0, 16);
}

export function completed(
  { root, curation, leftOut }: ScannedFolder,
  found: FolderContents,
): DiscoveredFolder {
  return {
    ...found,
    root,
    curation,
    leftOut: [...leftOut, ...found.leftOut],
    warnings: [...found.warnings, ...leftOutReferences(found, leftOut)],
  };
}

function readCuration(root: string): Buffer | null {
  const file = join(root, CURATION_FILE);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  // A pipe might never end.
  if (!stats.isFile() && !stats.isDirectory()) throw new TreeError(`${CURATION_FILE} is not a regular file.`);
  return readNamed(file);
}

/** Returns the library name in a folder's `bindery.yml`, if any. Throws `CurationError`. */
export function curatedName(folder: string): string | undefined {
  const curation = readCuration(folder);
  return curation === null ? undefined : parseCuration(curation.toString('utf8')).curation.library?.name;
}

/** Throws `TreeError` if nothing would be published, which probably means that it is the wrong folder. */
export function refuseEmptyLibrary({ assets, leftOut }: DiscoveredFolder, folder: string): void {
  if (assets.length > 0) return;
  const rule = leftOut.find(({ reason }) => isStated(reason));
  const why = rule === undefined ? '' : `; ${rule.path} is ${describeRule(rule)}`;
  throw new TreeError(
    `The folder ${folder} has no assets: it needs a folder or a file that is not hidden or left out${why}.`,
  );
}
