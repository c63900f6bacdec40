import { baseName, extensionOf, folderOf, stemOf } from '@bindery/formats';
import type { Closures } from '../graph/closure.ts';
import type { Model } from './models.ts';

const SHAPES: ReadonlySet<string> = new Set(['stl', 'obj', 'dae', 'glb', 'gltf', 'ply', 'msh']);

export function isScene({ path }: Pick<Model, 'path'>): boolean {
  return baseName(path).toLowerCase().startsWith('scene');
}

/**
 * Groups descriptions of the same robot: one includes the other, both show the same mesh file, or they are one model in
 * two formats. Descriptions that only share materials are unrelated.
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
    join(`stem ${folderOf(model.path)}${stemOf(model.path).toLowerCase()}`, index);
    let reachesModel = false;
    for (const file of closures.of(model.path).files) {
      const other = at.get(file);
      if (other !== undefined && other !== index) {
        groups.join(other, index);
        reachesModel = true;
      }
      if (SHAPES.has(extensionOf(file))) join(`file ${file}`, index);
    }
    for (const { kind, text } of closures.of(model.path).findings) {
      if (kind === 'missing' && SHAPES.has(extensionOf(text))) join(`missing ${text}`, index);
    }
    // A scene that refers to no other model belongs to the first one.
    if (isScene(model) && !reachesModel) groups.join(0, index);
  }
  return groups.of(models);
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
    const groups = new Map<number, T[]>();
    for (const [index, item] of items.entries()) {
      const root = this.#root(index);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [item]);
      else group.push(item);
    }
    return [...groups.values()];
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
