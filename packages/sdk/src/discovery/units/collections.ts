import { baseName, stemOf } from '@bindery/formats';
import { isGenericFolder, type ModelFolder } from './model-folders.ts';
import type { Model } from './models.ts';

export interface ModelFolderContents extends ModelFolder {
  models: Model[];
}

/** Whether each loose model in a home is an asset of its own; `homes` is the number of homes in the library. */
export function isCollection(
  home: ModelFolderContents,
  hasRobots: boolean,
  groups: readonly Model[][],
  homes: number,
): boolean {
  if (home.by === 'marked') return false;
  if (home.folder === '') return !(hasRobots && groups.length === 1 && homes === 1);
  return hasRobots ? isRobotCollection(home.folder, groups) : isMeshCollection(home, groups);
}

/**
 * Variants of a robot are often unlike each other: only three or more groups (two in a generic folder) that share
 * nothing, not even a name, are separate assets.
 */
function isRobotCollection(folder: string, groups: readonly Model[][]): boolean {
  const stems = stemsOf(groups);
  const isNamed = stems.some((stem) => sameStart(stem, folderName(folder)));
  return !isNamed && !shareStart(stems) && groups.length >= (isGenericFolder(folder) ? 2 : 3);
}

function isMeshCollection({ folder, by, models }: ModelFolderContents, groups: readonly Model[][]): boolean {
  // These are parts of something that no file describes.
  if (models.some(({ path }) => /(?:^|\/)(?:mesh(?:es)?|visuals?|collisions?)\//i.test(path))) return false;
  if (models.every(({ facts }) => facts.type === 'stl')) return false;
  if (stemsOf(groups).every((stem) => stem.startsWith(folderName(folder)))) return false;
  return groups.length >= 2 || (by === 'plain' && isGenericFolder(folder));
}

function folderName(folder: string): string {
  return baseName(folder.slice(0, -1)).toLowerCase();
}

function stemsOf(groups: readonly Model[][]): string[] {
  return groups.flat().map(({ path }) => stemOf(path).toLowerCase());
}

function sameStart(stem: string, folder: string): boolean {
  return stem === folder || (stem.length > 2 && folder.startsWith(stem));
}

/** Whether all begin with the same word: `homecart_bimanual`, `homecart_walls`. */
function shareStart(stems: readonly string[]): boolean {
  const words = stems.map((stem) => stem.split(/[-_. ]/)[0]);
  return new Set(words).size === 1 && (words[0]?.length ?? 0) > 2;
}
