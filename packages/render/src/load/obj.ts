import { materialLibraries } from '@bindery/formats';
import { Unrenderable } from '../errors.ts';
import { gather, withCreaseNormals } from '../geometry/normals.ts';
import { distinctTriples } from '../geometry/triples.ts';
import type { Budget } from '../limits.ts';
import { IDENTITY } from '../matrix.ts';
import { DEFAULT_MATERIAL, type Geometry, type Instance, type Material } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { loadMtl } from './mtl.ts';
import { type Obj, type ObjCorners, parseObj } from './obj-text.ts';

/** Loads a Wavefront OBJ file with the materials of its `mtllib` files, one instance per material. */
export async function loadObj(path: string, context: LoadContext): Promise<Instance[]> {
  const obj = parseObj(await context.files.read(path), context.budget);
  const materials = new Map<string, Material>();
  for (const library of obj.libraries.flatMap(materialLibraries)) {
    const found = context.files.resolve(path, library);
    if (found === undefined) continue;
    for (const [name, material] of await loadMtl(found, context)) materials.set(name, material);
  }
  const instances = [...obj.groups].map(([name, corners]) => ({
    geometry: toGeometry(obj, corners),
    material: materials.get(name) ?? DEFAULT_MATERIAL,
    transform: IDENTITY,
  }));
  if (instances.length === 0) throw new Unrenderable('the OBJ file has no faces');
  return instances;
}

/** The triangles of a Wavefront OBJ file, regardless of their materials. */
export function loadObjGeometry(bytes: Uint8Array, budget: Budget): Geometry {
  const obj = parseObj(bytes, budget);
  const corners = [...obj.groups.values()];
  if (corners.length === 0) throw new Unrenderable('the OBJ file has no faces');
  return toGeometry(obj, corners.length === 1 ? (corners[0] as ObjCorners) : corners.flat());
}

/** Creates one vertex for all corners with the same position, texture coordinate and normal. */
function toGeometry(obj: Obj, list: ObjCorners): Geometry {
  const corners = Int32Array.from(list);
  const { of: indices, firsts } = distinctTriples(new Uint32Array(corners.buffer));
  const column = (slot: number) => firsts.map((corner) => corners[corner * 3 + slot] as number);
  const rows = column(0);
  const positions = gather(obj.positions, rows, 3);
  const uvs = hasEach(corners, 1) ? gather(obj.uvs, column(1), 2) : undefined;
  const colors = obj.colors && withOpacity(gather(obj.colors, rows, 3));
  return hasEach(corners, 2)
    ? { positions, indices, normals: gather(obj.normals, column(2), 3), uvs, colors }
    : withCreaseNormals(positions, indices, { uvs, colors });
}

/** Whether every corner has an index in this slot. */
function hasEach(corners: Int32Array, slot: number): boolean {
  for (let at = slot; at < corners.length; at += 3) if ((corners[at] as number) < 0) return false;
  return true;
}

function withOpacity(rgb: Float32Array): Float32Array {
  const rgba = new Float32Array((rgb.length / 3) * 4).fill(1);
  for (let row = 0; row < rgb.length / 3; row++) {
    for (let k = 0; k < 3; k++) rgba[row * 4 + k] = rgb[row * 3 + k] as number;
  }
  return rgba;
}
