import { Unrenderable } from '../errors.ts';
import { splitCorners, withCreaseNormals } from '../geometry/normals.ts';
import type { Budget } from '../limits.ts';
import { IDENTITY } from '../matrix.ts';
import { DEFAULT_MATERIAL, type Geometry, type Instance, type Material } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { loadMtl } from './mtl.ts';

/** A Wavefront OBJ file with the materials of its `mtllib` files, one instance per material. */
export async function loadObj(path: string, context: LoadContext): Promise<Instance[]> {
  const text = new TextDecoder('utf-8').decode(await context.files.read(path));
  const obj = parseObj(text, context.budget);
  const materials = new Map<string, Material>();
  for (const library of obj.libraries) {
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

/** Corners of triangles: numbers of a position, a texture coordinate and a normal, −1 where there is none. */
type Corners = number[];

interface Obj {
  readonly positions: number[];
  /** r, g, b per position, where vertices carry colours. */
  readonly colors: number[];
  readonly uvs: number[];
  readonly normals: number[];
  readonly groups: Map<string, Corners>;
  readonly libraries: string[];
}

function parseObj(text: string, budget: Budget): Obj {
  const obj: Obj = { positions: [], colors: [], uvs: [], normals: [], groups: new Map(), libraries: [] };
  let corners: Corners | undefined;
  let material = '';
  for (const line of lines(text)) {
    const [keyword, ...words] = line.split(/\s+/);
    switch (keyword) {
      case 'v':
        budget.spend('vertices', 1);
        obj.positions.push(number(words[0]), number(words[1]), number(words[2]));
        if (words.length >= 6) obj.colors.push(number(words[3]), number(words[4]), number(words[5]));
        break;
      case 'vt':
        obj.uvs.push(number(words[0]), 1 - number(words[1]));
        break;
      case 'vn':
        obj.normals.push(number(words[0]), number(words[1]), number(words[2]));
        break;
      case 'f':
        if (corners === undefined) {
          corners = obj.groups.get(material) ?? [];
          obj.groups.set(material, corners);
        }
        addFace(obj, corners, words, budget);
        break;
      case 'usemtl':
        material = line.slice(6).trim();
        corners = undefined;
        break;
      case 'mtllib':
        if (obj.libraries.length < 32) obj.libraries.push(line.slice(6).trim());
        break;
    }
  }
  return obj;
}

function* lines(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    let line = text.slice(start, end).trim();
    start = end + 1;
    while (line.endsWith('\\') && start < text.length && line.length < 65_536) {
      end = text.indexOf('\n', start);
      if (end < 0) end = text.length;
      line = `${line.slice(0, -1)} ${text.slice(start, end).trim()}`;
      start = end + 1;
    }
    if (line !== '') yield line;
  }
}

function addFace(obj: Obj, corners: Corners, words: readonly string[], budget: Budget): void {
  const face = words.map((word) => parseCorner(obj, word));
  budget.spend('triangles', Math.max(0, face.length - 2));
  for (let i = 1; i + 1 < face.length; i++) {
    for (const corner of [face[0], face[i], face[i + 1]])
      corners.push(...(corner as [number, number, number]));
  }
}

function parseCorner(obj: Obj, word: string): [number, number, number] {
  const [position, uv, normal] = word.split('/');
  const p = elementNumber(position, obj.positions.length / 3);
  if (p < 0) throw new Unrenderable('a face of the OBJ file names a vertex that does not exist');
  return [p, elementNumber(uv, obj.uvs.length / 2), elementNumber(normal, obj.normals.length / 3)];
}

/** From 1 up, or from the end downwards below 0; −1 for none. */
function elementNumber(word: string | undefined, count: number): number {
  const value = Number.parseInt(word ?? '', 10);
  const index = value < 0 ? count + value : value - 1;
  return index >= 0 && index < count ? index : -1;
}

function toGeometry(obj: Obj, corners: Corners): Geometry {
  const count = corners.length / 3;
  const indices = new Uint32Array(count);
  const place = new Map<number, number>();
  const positions: number[] = [];
  for (let corner = 0; corner < count; corner++) {
    const p = corners[corner * 3] as number;
    let vertex = place.get(p);
    if (vertex === undefined) {
      vertex = place.size;
      place.set(p, vertex);
      positions.push(
        obj.positions[p * 3] as number,
        obj.positions[p * 3 + 1] as number,
        obj.positions[p * 3 + 2] as number,
      );
    }
    indices[corner] = vertex;
  }
  const flat = Float32Array.from(positions);
  const normals = cornerValues(corners, 2, obj.normals, 3);
  const geometry =
    normals === undefined ? withCreaseNormals(flat, indices) : splitCorners(flat, indices, normals);
  return { ...geometry, uvs: cornerValues(corners, 1, obj.uvs, 2), colors: cornerColors(obj, corners) };
}

/** One row of `values` per corner; undefined where any corner names none. */
function cornerValues(
  corners: Corners,
  slot: 1 | 2,
  values: readonly number[],
  width: number,
): Float32Array | undefined {
  const count = corners.length / 3;
  const out = new Float32Array(count * width);
  for (let corner = 0; corner < count; corner++) {
    const row = corners[corner * 3 + slot] as number;
    if (row < 0) return undefined;
    for (let k = 0; k < width; k++) out[corner * width + k] = values[row * width + k] as number;
  }
  return out;
}

function cornerColors(obj: Obj, corners: Corners): Float32Array | undefined {
  if (obj.colors.length === 0 || obj.colors.length !== obj.positions.length) return undefined;
  const count = corners.length / 3;
  const out = new Float32Array(count * 4);
  for (let corner = 0; corner < count; corner++) {
    const p = corners[corner * 3] as number;
    for (let k = 0; k < 3; k++) out[corner * 4 + k] = obj.colors[p * 3 + k] as number;
    out[corner * 4 + 3] = 1;
  }
  return out;
}

function number(word: string | undefined): number {
  const value = Number(word);
  return Number.isFinite(value) ? value : 0;
}
