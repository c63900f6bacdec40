import { baseName, extensionOf, FORMATS, folderOf, stemOf } from '@bindery/formats';
import type { Closures } from '../graph/closure.ts';
import { isGenericFolder, type ModelFolder } from './model-folders.ts';
import type { Model } from './models.ts';

/** Extensions of shapes that robots are made of. */
export const SHAPES: ReadonlySet<string> = new Set([
  ...FORMATS.flatMap(({ family, name, isSource, extensions }) =>
    family === 'mesh' && name !== 'usd' && !isSource ? extensions : [],
  ),
  'msh',
]);

export function isScene({ path }: Pick<Model, 'path'>): boolean {
  return baseName(path).toLowerCase().startsWith('scene');
}

/**
 * Groups descriptions of the same robot: one includes the other, both show the same mesh file, or they are one model in
 * two formats. Descriptions that only share materials are unrelated, and so are worlds in which the same models are.
 */
export function componentsOf(models: readonly Model[], closures: Closures): Model[][] {
  const groups = new UnionFind(models.length);
  const at = new Map(models.map(({ path }, index) => [path, index]));
  const firstWith = new Map<string, number>();
  const join = (key: string, index: number) => {
    const first = firstWith.get(key);
    if (first === undefined) firstWith.set(key, index);
    else groups.join(first, index);
  };
  for (const [index, model] of models.entries()) {
    const borrowed = borrowedShapes(model, closures);
    join(`stem ${folderOf(model.path)}${stemOf(model.path).toLowerCase()}`, index);
    let reachesModel = false;
    for (const file of closures.of(model.path).files) {
      const other = at.get(file);
      if (other !== undefined && other !== index) {
        groups.join(other, index);
        reachesModel = true;
      }
      if (SHAPES.has(extensionOf(file)) && !model.facts.isWorld && !borrowed.has(file))
        join(`file ${file}`, index);
    }
    for (const { kind, text } of closures.of(model.path).findings) {
      if (kind === 'missing' && !model.facts.isWorld && SHAPES.has(extensionOf(text)))
        join(`missing ${text}`, index);
    }
    // A scene that refers to no other model belongs to the first one.
    if (isScene(model) && !reachesModel) groups.join(0, index);
  }
  return groups.of(models);
}

/**
 * The shapes of parts that a model with shapes of its own includes from a folder beside its own: a table on which many
 * things lie, each in a description of its own.
 */
function borrowedShapes({ path }: Model, closures: Closures): ReadonlySet<string> {
  const { files } = closures.of(path);
  const shapesOf = (reached: ReadonlySet<string>) =>
    [...reached].filter((file) => SHAPES.has(extensionOf(file)));
  const parts = [...files].filter(
    (file) => extensionOf(file) === extensionOf(path) && !file.startsWith(folderOf(path)),
  );
  const borrowed = new Set(parts.flatMap((part) => shapesOf(closures.of(part).files)));
  return shapesOf(files).every((file) => borrowed.has(file)) ? new Set() : borrowed;
}

class UnionFind {
  readonly #above: number[];

  constructor(size: number) {
    this.#above = Array.from({ length: size }, (_, index) => index);
  }

  join(a: number, b: number): void {
    const [left, right] = [this.#root(a), this.#root(b)];
    this.#above[Math.max(left, right)] = Math.min(left, right);
  }

  of<T>(items: readonly T[]): T[][] {
    const groups = Map.groupBy(items.entries(), ([index]) => this.#root(index));
    return Array.from(groups.values(), (group) => group.map(([, item]) => item));
  }

  #root(index: number): number {
    let at = index;
    for (let above = this.#above[at] ?? at; above !== at; above = this.#above[at] ?? at) {
      this.#above[at] = this.#above[above] ?? above;
      at = above;
    }
    return at;
  }
}

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
