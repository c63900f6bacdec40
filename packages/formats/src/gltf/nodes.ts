import type { Accessor, Document, Node } from '@gltf-transform/core';
import { EXTMeshGPUInstancing, type InstancedMesh } from '@gltf-transform/extensions';
import { compose, IDENTITY, type Matrix4, multiply } from '../model/matrix.ts';
import type { Geometry } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import type { SkinBinding } from './primitives.ts';

/** World matrices of the nodes of the scene to show. A node reached twice keeps its first matrix. */
export function placeNodes(document: Document, budget: Budget): Map<Node, Matrix4> {
  const placed = new Map<Node, Matrix4>();
  const waiting = roots(document).map((node) => ({ node, parent: IDENTITY, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (placed.has(next.node)) continue;
    budget.spend('nodes', 1);
    budget.checkDepth(next.depth);
    const world = multiply(next.parent, next.node.getMatrix());
    placed.set(next.node, world);
    for (const child of next.node.listChildren())
      waiting.push({ node: child, parent: world, depth: next.depth + 1 });
  }
  return placed;
}

function roots(document: Document): Node[] {
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  return scene?.listChildren() ?? root.listNodes().filter((node) => node.getParentNode() === null);
}

/** The copies of a node's mesh. */
interface Copies {
  /** How many the file requests. */
  readonly total: number;
  /** Transforms of `count` of them to the frame of the node, spread evenly over all. */
  sample(count: number): Matrix4[];
}

/** The copies of a node's mesh by EXT_mesh_gpu_instancing; undefined if the node does not use it. */
export function copiesOf(node: Node): Copies | undefined {
  const instanced = node.getExtension<InstancedMesh>(EXTMeshGPUInstancing.EXTENSION_NAME);
  if (instanced === null) return undefined;
  const [translation, rotation, scale] = [
    instanced.getAttribute('TRANSLATION'),
    instanced.getAttribute('ROTATION'),
    instanced.getAttribute('SCALE'),
  ];
  const counts = [translation, rotation, scale].flatMap((accessor) => accessor?.getCount() ?? []);
  const total = counts.length === 0 ? 0 : Math.min(...counts);
  return {
    total,
    sample: (count) =>
      Array.from({ length: count }, (_, index) => {
        const row = Math.floor((index * total) / count);
        return compose(
          elementOf<[number, number, number]>(translation, row, [0, 0, 0]),
          elementOf<[number, number, number, number]>(rotation, row, [0, 0, 0, 1]),
          elementOf<[number, number, number]>(scale, row, [1, 1, 1]),
        );
      }),
  };
}

function elementOf<T extends number[]>(accessor: Accessor | null, row: number, fallback: T): T {
  return accessor?.getElementSize() === fallback.length ? accessor.getElement(row, fallback) : fallback;
}

/** Deforms geometry by its joints. `joints` are world matrices, each with its inverse bind matrix applied. */
export function skinned(geometry: Geometry, binding: SkinBinding, joints: readonly Matrix4[]): Geometry {
  const { positions, normals } = geometry;
  const moved = new Float32Array(positions.length);
  const turned = new Float32Array(normals.length);
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    const m = blended(binding, vertex, joints);
    const at = vertex * 3;
    for (let row = 0; row < 3; row++) {
      const [a, b, c, d] = [m[row], m[row + 4], m[row + 8], m[row + 12]] as [number, number, number, number];
      const along = (v: Float32Array) =>
        a * (v[at] as number) + b * (v[at + 1] as number) + c * (v[at + 2] as number);
      moved[at + row] = along(positions) + d;
      turned[at + row] = along(normals);
    }
  }
  return { ...geometry, positions: moved, normals: turned };
}

function blended(binding: SkinBinding, vertex: number, joints: readonly Matrix4[]): number[] {
  const sum = new Array<number>(16).fill(0);
  let total = 0;
  for (let k = 0; k < 4; k++) {
    const weight = binding.weights[vertex * 4 + k] as number;
    const joint = joints[binding.joints[vertex * 4 + k] as number];
    if (weight === 0 || joint === undefined) continue;
    total += weight;
    for (let i = 0; i < 16; i++) sum[i] = (sum[i] as number) + weight * (joint[i] as number);
  }
  // As in three.js, a vertex without weights follows its first joint.
  if (total === 0) return [...(joints[binding.joints[vertex * 4] as number] ?? sum)];
  return sum.map((value) => value / total);
}

/** Each joint's world matrix times its inverse bind matrix. `inverse` holds 16 numbers per joint. */
export function jointMatrices(worlds: readonly Matrix4[], inverse: Float32Array | undefined): Matrix4[] {
  return worlds.map((world, index) => {
    const bind = inverse?.subarray(index * 16, index * 16 + 16);
    return bind?.length === 16 ? multiply(world, [...bind] as unknown as Matrix4) : world;
  });
}
