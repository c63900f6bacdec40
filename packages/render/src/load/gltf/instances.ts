import type { Accessor, Node } from '@gltf-transform/core';
import { EXTMeshGPUInstancing, type InstancedMesh } from '@gltf-transform/extensions';
import { compose, type Matrix4 } from '../../matrix.ts';

/** The copies of a node's mesh. */
export interface Copies {
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
