import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CURATION_FILE } from '@bindery/contract/wire';
import { parseCuration } from '../curation/curation.ts';
import { discoverAssets } from '../discovery/discover.ts';
import { type AssetPreview, type DiscoveredLibrary, previewOf } from '../discovery/discovered-library.ts';
import { folderWarnings } from '../discovery/warnings.ts';
import { TreeError } from '../failures.ts';
import { readNamed } from '../tree/files.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { describeRule, isStated, type SkippedPath } from '../tree/skipped-paths.ts';
import { DiscoveryCache } from './discovery-cache.ts';
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

/**
 * Finds the assets of a folder by its layout, its files and its `bindery.yml`. Hashes nothing, and reads only as much
 * of each file as it needs. With a `cacheFolder`, results for unchanged files are reused. Throws `TreeError` and
 * `CurationError`.
 */
export function discoverLibrary(folder: string, options: DiscoveryOptions = {}): DiscoveredFolder {
  const { root, files, leftOut } = scanTree(folder, options);
  const curation = readCuration(root);
  const found = discoverFiles({ root, files, curation }, options);
  return {
    ...found,
    root,
    curation,
    leftOut: [...leftOut, ...found.leftOut],
    warnings: [...found.warnings, ...folderWarnings(found, leftOut)],
  };
}

function discoverFiles(
  { root, files, curation }: { root: string; files: readonly ScannedFile[]; curation: Buffer | null },
  { cacheFolder, onExamining }: DiscoveryOptions,
): Omit<DiscoveredLibrary<ScannedFile>, 'curation'> {
  const known =
    cacheFolder === undefined ? undefined : new DiscoveryCache(root, cacheFolder, files, curation);
  const recalled = known?.read();
  if (recalled !== undefined) return recalled;
  let isComplete = true;
  const examine = (published: readonly ScannedFile[]) => {
    onExamining?.(root, published);
    const examination = examineTree(root, published, cacheFolder);
    isComplete = examination.unexamined.length === 0;
    return examination;
  };
  const { curation: _, ...found } = discoverAssets({ files, curation, read: readIn(root), examine });
  if (isComplete) known?.write(found);
  return found;
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

/** What a folder would become, determined without contacting a service. */
export interface FolderPreview {
  preview: AssetPreview[];
  leftOut: SkippedPath[];
  warnings: string[];
}

/** Throws `TreeError` and `CurationError`. */
export function previewFolder(folder: string, options: DiscoveryOptions = {}): FolderPreview {
  const found = discoverLibrary(folder, options);
  refuseEmptyLibrary(found, folder);
  return { preview: previewOf(found), leftOut: found.leftOut, warnings: found.warnings };
}
