import {
  determinant3,
  type Matrix4,
  multiply,
  transformNormals,
  transformPoints,
} from '@bindery/formats/model/matrix';
import { gather } from '@bindery/formats/model/normals';
import type { Geometry, Instance, Material, Scene } from '@bindery/formats/model/scene';

/**
 * An instance transformed to the drawing frame (Y up), its triangles numbered throughout the scene. Every vertex is
 * finite and used by a triangle, so that stray ones do not affect the framing.
 */
export interface Draw {
  readonly material: Material;
  readonly indices: Uint32Array;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uvs: Float32Array | undefined;
  readonly uvs1: Float32Array | undefined;
  readonly colors: Float32Array | undefined;
  /** The transform mirrors, which reverses the winding of the triangles. */
  readonly mirrored: boolean;
  readonly firstTriangle: number;
}

/** Transforms the instances of a scene to the drawing frame. */
export function toDraws(scene: Scene, frame: Matrix4): Draw[] {
  const draws: Draw[] = [];
  let firstTriangle = 0;
  for (const instance of scene.instances) {
    const draw = toDraw(instance, frame, firstTriangle);
    if (draw === undefined) continue;
    draws.push(draw);
    firstTriangle += draw.indices.length / 3;
  }
  return draws;
}

function toDraw(
  { geometry, material, transform }: Instance,
  frame: Matrix4,
  firstTriangle: number,
): Draw | undefined {
  const toWorld = multiply(frame, transform);
  const { indices, positions, normals, uvs, uvs1, colors } = usable(
    geometry,
    transformPoints(toWorld, geometry.positions),
  );
  if (indices.length === 0) return undefined;
  return {
    material,
    indices,
    positions,
    normals: transformNormals(toWorld, normals),
    uvs,
    uvs1,
    colors,
    mirrored: determinant3(toWorld) < 0,
    firstTriangle,
  };
}

/** Far beyond any model in any unit, while its square still fits in a 32-bit float. */
const FARTHEST = 1e12;

/** Keeps the triangles between finite positions, and the vertices that they use. `positions` are those to draw. */
export function usable(geometry: Geometry, positions: Float32Array): Geometry {
  const indices = finiteTriangles(positions, geometry.indices);
  const count = positions.length / 3;
  const used = new Uint8Array(count);
  for (let corner = 0; corner < indices.length; corner++) used[indices[corner] as number] = 1;
  const kept = new Uint32Array(count);
  const place = new Uint32Array(count);
  let length = 0;
  for (let vertex = 0; vertex < count; vertex++) {
    if (used[vertex] !== 1) continue;
    place[vertex] = length;
    kept[length++] = vertex;
  }
  if (length === count) return { ...geometry, indices, positions };
  const rows = kept.subarray(0, length);
  return {
    indices: indices.map((vertex) => place[vertex] as number),
    positions: gather(positions, rows, 3),
    normals: gather(geometry.normals, rows, 3),
    uvs: geometry.uvs && gather(geometry.uvs, rows, 2),
    uvs1: geometry.uvs1 && gather(geometry.uvs1, rows, 2),
    colors: geometry.colors && gather(geometry.colors, rows, 4),
  };
}

function finiteTriangles(positions: Float32Array, indices: Uint32Array): Uint32Array {
  let length = 0;
  let kept: Uint32Array | undefined;
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const isUsable =
      isNear(positions, indices[i] as number) &&
      isNear(positions, indices[i + 1] as number) &&
      isNear(positions, indices[i + 2] as number);
    if (!isUsable) kept ??= indices.slice();
    else {
      if (kept !== undefined) kept.copyWithin(length, i, i + 3);
      length += 3;
    }
  }
  return (kept ?? indices).subarray(0, length);
}

function isNear(positions: Float32Array, vertex: number): boolean {
  const at = vertex * 3;
  return (
    Math.abs(positions[at] as number) < FARTHEST &&
    Math.abs(positions[at + 1] as number) < FARTHEST &&
    Math.abs(positions[at + 2] as number) < FARTHEST
  );
}
