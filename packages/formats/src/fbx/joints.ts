import { multiply } from '../model/matrix.ts';
import type { RigidMove, SkinnedMove } from '../model/scene.ts';
import type { FbxSkin } from './deform.ts';
import type { FbxObject } from './document.ts';
import type { FbxPart } from './geometry.ts';
import type { FbxNode } from './nodes.ts';

/** Bones that a vertex can have, as in every viewer. */
const MAX_BONES = 4;

/** The nodes that carry parts of a scene, numbered. */
export class Joints {
  readonly list: FbxObject[] = [];
  readonly #numbers = new Map<FbxObject, number>();

  rigid({ object, geometric }: FbxNode): RigidMove {
    return { joint: this.#number(object), local: geometric };
  }

  /** Points without bones are carried by the node itself. */
  skinned(part: FbxPart, controls: number, skin: FbxSkin, node: FbxNode): SkinnedMove {
    const bones = skin.map(({ bone, bound }) => ({
      joint: this.#number(bone),
      bound: multiply(bound, node.geometric),
    }));
    bones.push({ joint: this.#number(node.object), bound: node.geometric });
    const { indices, weights } = strongest(skin, controls);
    const own = {
      indices: new Uint16Array(part.controls.length * 4),
      weights: new Float32Array(part.controls.length * 4),
    };
    for (const [vertex, control] of part.controls.entries()) {
      own.indices.set(indices.subarray(control * 4, control * 4 + 4), vertex * 4);
      own.weights.set(weights.subarray(control * 4, control * 4 + 4), vertex * 4);
    }
    const { positions, normals } = part.geometry;
    return { positions, normals, bones, ...own };
  }

  #number(object: FbxObject): number {
    const known = this.#numbers.get(object) ?? this.list.length;
    if (known === this.list.length) this.list.push(object);
    this.#numbers.set(object, known);
    return known;
  }
}

/** The bones that move each control point most. */
function strongest(skin: FbxSkin, controls: number): { indices: Uint16Array; weights: Float32Array } {
  const indices = new Uint16Array(controls * MAX_BONES).fill(skin.length);
  const weights = new Float32Array(controls * MAX_BONES);
  for (const [bone, cluster] of skin.entries()) {
    for (const [row, control] of cluster.controls.entries()) {
      if (!(control >= 0 && control < controls)) continue;
      let [index, weight] = [bone, cluster.weights[row] ?? 0];
      for (let at = control * MAX_BONES; at < (control + 1) * MAX_BONES; at++) {
        const [other, lighter] = [indices[at] ?? 0, weights[at] ?? 0];
        if (!(weight > lighter)) continue;
        [indices[at], weights[at]] = [index, weight];
        [index, weight] = [other, lighter];
      }
    }
  }
  for (let at = 0; at < weights.length; at += MAX_BONES) {
    const sum = weights.subarray(at, at + MAX_BONES).reduce((total, weight) => total + weight, 0);
    if (sum > 0) for (let k = at; k < at + MAX_BONES; k++) weights[k] = (weights[k] ?? 0) / sum;
    else weights[at] = 1;
  }
  return { indices, weights };
}
