import { Budget, type RenderLimits, Unrenderable } from '@bindery/render/models';
import type { GLTF } from '@gltf-transform/core';
import type { Gltf } from './container.ts';

const COMPONENTS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};
const COMPONENT_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};
/** Values of `mode` that draw triangles. */
const TRIANGLES = 4;
const STRIP = 5;
const FAN = 6;

/** The amounts that a glTF file declares. */
export interface GltfSurvey {
  readonly triangles: number;
  readonly nodes: number;
}

/**
 * Adds up what a glTF file declares before memory is allocated for it: accessors without data, cyclic nodes, millions
 * of instances.
 *
 * @throws TooLarge beyond the limits, Unrenderable if the nodes do not form a tree.
 */
export function surveyGltf(json: Gltf, limits: RenderLimits): GltfSurvey {
  const budget = new Budget(limits);
  const { nodes = [], meshes = [], accessors = [], bufferViews = [], images = [], scenes = [] } = json;
  for (const list of [nodes, meshes, accessors, bufferViews, images, json.materials ?? []]) {
    budget.check('nodes', list.length);
  }
  budget.check('images', images.length);
  for (const accessor of accessors) budget.spend('inputBytes', bytesOf(accessor));
  for (const { extensions } of bufferViews) {
    const packed = (extensions?.EXT_meshopt_compression ?? extensions?.KHR_meshopt_compression) as
      | { count?: number; byteStride?: number }
      | undefined;
    if (packed !== undefined) budget.spend('inputBytes', natural(packed.count) * natural(packed.byteStride));
  }

  let triangles = 0;
  let reached = 0;
  const roots = scenes[json.scene ?? 0]?.nodes ?? [];
  const waiting = [...roots].map((index) => ({ index, depth: 1 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // In a tree, every node is reached at most once.
    if (++reached > nodes.length) throw new Unrenderable('nodes of the glTF file show each other');
    budget.checkDepth(next.depth);
    const node = nodes[next.index];
    if (node === undefined) continue;
    const instancing = node.extensions?.EXT_mesh_gpu_instancing as { attributes?: Record<string, number> };
    const copied = Object.values(instancing?.attributes ?? {})[0];
    const copies = copied === undefined ? 1 : natural(accessors[copied]?.count);
    if (copied !== undefined) budget.spend('instances', copies);
    for (const primitive of meshes[node.mesh ?? -1]?.primitives ?? []) {
      const drawn = copies * trianglesOf(primitive, accessors);
      budget.spend('triangles', drawn);
      triangles += drawn;
    }
    for (const child of node.children ?? []) waiting.push({ index: child, depth: next.depth + 1 });
  }
  return { triangles, nodes: reached };
}

function bytesOf({ count, type, componentType }: Partial<GLTF.IAccessor>): number {
  return natural(count) * (COMPONENTS[type ?? ''] ?? 1) * (COMPONENT_BYTES[componentType ?? 0] ?? 4);
}

function trianglesOf(
  { mode = TRIANGLES, indices, attributes }: GLTF.IMeshPrimitive,
  accessors: readonly GLTF.IAccessor[],
): number {
  const corners = natural(accessors[indices ?? attributes?.POSITION ?? -1]?.count);
  if (mode === TRIANGLES) return Math.floor(corners / 3);
  return mode === STRIP || mode === FAN ? Math.max(0, corners - 2) : 0;
}

/** Returns the stated count, 0 if there is none, or more than any limit allows if it is invalid. */
function natural(value: unknown): number {
  if (value === undefined) return 0;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 2 ** 40;
}
