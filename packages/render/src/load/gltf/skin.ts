import { type Matrix4, multiply } from '../../matrix.ts';
import type { Geometry } from '../../scene.ts';
import type { SkinBinding } from './primitives.ts';

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
  return total > 0 ? sum.map((value) => value / total) : sum;
}

/** Each joint's world matrix times its inverse bind matrix. `inverse` holds 16 numbers per joint. */
export function jointMatrices(worlds: readonly Matrix4[], inverse: Float32Array | undefined): Matrix4[] {
  return worlds.map((world, index) => {
    const bind = inverse?.subarray(index * 16, index * 16 + 16);
    return bind?.length === 16 ? multiply(world, [...bind] as unknown as Matrix4) : world;
  });
}
