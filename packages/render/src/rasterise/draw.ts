import { determinant3, multiply, transformNormals, transformPoints, Z_UP_TO_Y_UP } from '../matrix.ts';
import type { Instance, Material, Scene } from '../scene.ts';

/** An instance carried into the drawing frame (Y up), its triangles numbered through the whole scene. */
export interface Draw {
  readonly material: Material;
  readonly indices: Uint32Array;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uvs: Float32Array | undefined;
  readonly uvs1: Float32Array | undefined;
  readonly colors: Float32Array | undefined;
  /** The transform mirrors, which turns the winding of the triangles. */
  readonly mirrored: boolean;
  readonly firstTriangle: number;
}

export function toDraws(scene: Scene): Draw[] {
  const draws: Draw[] = [];
  let firstTriangle = 0;
  for (const instance of scene.instances) {
    const draw = toDraw(instance, scene.up, firstTriangle);
    if (draw === undefined) continue;
    draws.push(draw);
    firstTriangle += draw.indices.length / 3;
  }
  return draws;
}

function toDraw(
  { geometry, material, transform }: Instance,
  up: 'y' | 'z',
  firstTriangle: number,
): Draw | undefined {
  const toWorld = up === 'z' ? multiply(Z_UP_TO_Y_UP, transform) : transform;
  const positions = transformPoints(toWorld, geometry.positions);
  const indices = finiteTriangles(positions, geometry.indices);
  if (indices.length === 0) return undefined;
  return {
    material,
    indices,
    positions,
    normals: transformNormals(toWorld, geometry.normals),
    uvs: geometry.uvs,
    uvs1: geometry.uvs1,
    colors: geometry.colors,
    mirrored: determinant3(toWorld) < 0,
    firstTriangle,
  };
}

/** Far beyond any model in any unit, and squares of it still fit a 32-bit float. */
const FARTHEST = 1e12;

function finiteTriangles(positions: Float32Array, indices: Uint32Array): Uint32Array {
  const usable = new Uint8Array(positions.length / 3);
  let all = true;
  for (let vertex = 0; vertex < usable.length; vertex++) {
    const ok =
      Math.abs(positions[vertex * 3] as number) < FARTHEST &&
      Math.abs(positions[vertex * 3 + 1] as number) < FARTHEST &&
      Math.abs(positions[vertex * 3 + 2] as number) < FARTHEST;
    usable[vertex] = ok ? 1 : 0;
    all &&= ok;
  }
  if (all) return indices;
  const kept = new Uint32Array(indices.length);
  let length = 0;
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const corners = indices.subarray(i, i + 3);
    if (!corners.every((vertex) => usable[vertex] === 1)) continue;
    kept.set(corners, length);
    length += 3;
  }
  return kept.subarray(0, length);
}

/** Positions of the vertices that triangles use, so that stray vertices do not count in the framing. */
export function usedPositions(draw: Draw): Float32Array {
  const used = new Uint8Array(draw.positions.length / 3);
  for (const vertex of draw.indices) used[vertex] = 1;
  let count = 0;
  for (const flag of used) count += flag;
  if (count === used.length) return draw.positions;
  const out = new Float32Array(count * 3);
  let at = 0;
  for (let vertex = 0; vertex < used.length; vertex++) {
    if (used[vertex] !== 1) continue;
    out.set(draw.positions.subarray(vertex * 3, vertex * 3 + 3), at);
    at += 3;
  }
  return out;
}
