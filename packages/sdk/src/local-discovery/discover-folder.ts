import { join } from 'node:path';
import type { RenderRequest } from '../artifacts/thumbnails.ts';
import { type AssetPreview, previewOf } from '../discovery/discovered-library.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import {
  completed,
  type DiscoveredFolder,
  type DiscoveryOptions,
  recall,
  refuseEmptyLibrary,
  scanFolder,
} from './discover-library.ts';
import type { ExpandedRobots } from './expand-robots.ts';
import type { LocatedModel } from './local-model.ts';
import { inReadingThread, type ReadingOptions } from './reading.ts';

/**
 * Finds the assets of a folder by its layout, its files and its `bindery.yml`. Hashes nothing, and reads only as much
 * of each file as it needs, on a thread of its own. With a `cacheFolder`, results for unchanged files are reused.
 * Rejects with `TreeError` and `CurationError`, and with the reason of the signal.
 */
export async function discoverFolder(
  folder: string,
  options: DiscoveryOptions & ReadingOptions = {},
): Promise<DiscoveredFolder> {
  const scanned = scanFolder(folder, options);
  const { root, files, curation } = scanned;
  const { cacheFolder } = options;
  const known = recall(scanned, cacheFolder);
  if (known !== undefined) {
    const { changed } = known;
    const marks = changed.length === 0 ? [] : await inReadingThread(options, 'marksOf', root, changed);
    const found = known.whenMarked(marks);
    if (found !== undefined) return completed(scanned, found);
  }
  options.onExamining?.(root, files);
  return completed(
    scanned,
    await inReadingThread(options, 'discoverScanned', { root, files, curation }, cacheFolder),
  );
}

/** What a folder would become, determined without contacting a service. */
export interface FolderPreview {
  preview: AssetPreview[];
  leftOut: SkippedPath[];
  warnings: string[];
}

/** Rejects with `TreeError` and `CurationError`. */
export async function previewFolder(
  folder: string,
  options: DiscoveryOptions & ReadingOptions = {},
): Promise<FolderPreview> {
  const found = await discoverFolder(folder, options);
  refuseEmptyLibrary(found, folder);
  return { preview: previewOf(found), leftOut: found.leftOut, warnings: found.warnings };
}

/** A model or a picture on this machine that is in no library, with the files that it needs. */
export interface LocalModel
  extends Pick<LocatedModel, 'missing'>,
    Pick<RenderRequest, 'kind' | 'entry' | 'files'> {}

/**
 * Finds the files that a model refers to, as if its folder were published, or one above in which there are more of them.
 * Nothing outside of `within` (a real path) is read. Rejects if the file cannot be read, and with the reason of the
 * signal.
 */
export async function findLocalModel(
  file: string,
  within?: string,
  options: ReadingOptions = {},
): Promise<LocalModel> {
  const { root, sizes, ...model } = await inReadingThread(options, 'locateModel', file, within);
  return { ...model, files: { sizes, locate: (path) => ({ place: join(root, path) }) } };
}

/**
 * Writes each robot in macros that assets of a folder open as URDF next to it: `arm.urdf.xacro` as `arm.urdf`, and one
 * with an argument for many robots once for each as `arm_<value>.urdf`. Only files that were written so before are
 * replaced. With `isTried`, nothing is written.
 */
export function expandRobots(
  folder: string,
  { include, exclude }: PublishOptions,
  isTried = false,
  options: ReadingOptions = {},
): Promise<ExpandedRobots> {
  return inReadingThread(options, 'writeRobots', folder, { include, exclude }, isTried);
}
