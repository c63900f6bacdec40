import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { distinctTriples, gather, withCreaseNormals } from '../model/normals.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Instance,
  type Material,
  plainMaterial,
} from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { materialLibraries } from './materials.ts';
import { loadMtl } from './mtl.ts';
import { type Obj, type ObjCorners, parseObj } from './text.ts';

export const reader: FormatReader = {
  async readMesh(path, context, { byObject }) {
    const instances = await loadObj(path, context, byObject);
    const hasMaterials = instances.some(
      ({ material, geometry }) => material !== DEFAULT_MATERIAL || geometry.colors !== undefined,
    );
    return { instances, points: [], isYUp: false, hasMaterials };
  },
};

/**
 * Loads a Wavefront OBJ file with the materials of its `mtllib` files: one instance per material or, `byObject`, also per
 * object, with its name.
 */
async function loadObj(path: string, context: LoadContext, byObject: boolean): Promise<Instance[]> {
  const obj = parseObj(await context.files.read(path), context.budget, byObject);
  const materials = new Map<string, Material>();
  for (const library of obj.libraries.flatMap(materialLibraries)) {
    const found = context.files.resolve(path, library);
    if (found === undefined) continue;
    for (const [name, material] of await loadMtl(found, context)) materials.set(name, material);
  }
  const instances = obj.groups.map(({ material, object, corners }) => {
    const geometry = toGeometry(obj, corners);
    return {
      geometry,
      material: materials.get(material) ?? plainMaterial(geometry),
      transform: obj.transform,
      names: [object],
    };
  });
  if (instances.length === 0) throw new Unrenderable('the OBJ file has no faces');
  return instances;
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
