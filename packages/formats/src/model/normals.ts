import type { Geometry } from './scene.ts';

const CREASE_ANGLE = (38 * Math.PI) / 180;
const CREASE = Math.cos(CREASE_ANGLE);
/** Faces within half the crease angle of one face are within the crease angle of each other. */
const HALF_CREASE = Math.cos(CREASE_ANGLE / 2);
/** If more corners than this share a place, each keeps the normal of its own face, so that hostile fans stay cheap. */
const MAX_NEIGHBOURS = 48;

type Attributes = Pick<Geometry, 'uvs' | 'uvs1' | 'colors'>;

/** Geometry whose vertices were split from those of a file: `origins` has the index of the file's vertex for each. */
interface SplitGeometry extends Geometry {
  readonly origins: Uint32Array;
}

/**
 * Computes normals: smooth where faces meet at a flat angle, sharp at edges. Corners at the same place count as one,
 * whether or not the file shares their vertices. A vertex with several normals is split into several.
 */
export function withCreaseNormals(
  positions: Float32Array,
  indices: Uint32Array,
  attributes: Attributes = {},
): SplitGeometry {
  const places = distinctTriples(bitsOf(positions));
  const split = splitVertices(
    indices,
    cornersByPlace(places.of, places.firsts.length, indices),
    faceNormals(positions, indices),
  );
  return {
    positions: gather(positions, split.origins, 3),
    indices: split.indices,
    normals: split.normals,
    uvs: attributes.uvs && gather(attributes.uvs, split.origins, 2),
    uvs1: attributes.uvs1 && gather(attributes.uvs1, split.origins, 2),
    colors: attributes.colors && gather(attributes.colors, split.origins, 4),
    origins: split.origins,
  };
}

interface Faces {
  /** Cross products of two edges: their length is twice the area. */
  readonly normals: Float64Array;
  readonly lengths: Float64Array;
}

function faceNormals(positions: Float32Array, indices: Uint32Array): Faces {
  const normals = new Float64Array(indices.length);
  const lengths = new Float64Array(Math.floor(indices.length / 3));
  for (let face = 0; face < lengths.length; face++) {
    lengths[face] = normalOf(positions, indices, face * 3, normals, face * 3);
  }
  return { normals, lengths };
}

/**
 * Writes the cross product of two edges of the triangle whose corners begin at `indices[first]` to `out`; returns its length,
 * twice the area.
 */
export function normalOf(
  positions: Float32Array,
  indices: Uint32Array,
  first: number,
  out: Float64Array,
  at: number,
): number {
  const a = (indices[first] as number) * 3;
  const b = (indices[first + 1] as number) * 3;
  const c = (indices[first + 2] as number) * 3;
  const ux = (positions[b] as number) - (positions[a] as number);
  const uy = (positions[b + 1] as number) - (positions[a + 1] as number);
  const uz = (positions[b + 2] as number) - (positions[a + 2] as number);
  const vx = (positions[c] as number) - (positions[a] as number);
  const vy = (positions[c + 1] as number) - (positions[a + 1] as number);
  const vz = (positions[c + 2] as number) - (positions[a + 2] as number);
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  out[at] = nx;
  out[at + 1] = ny;
  out[at + 2] = nz;
  return Math.sqrt(nx * nx + ny * ny + nz * nz);
}

/** The triangles' corners grouped by place: those of place p are `list[start[p]]` to `list[start[p + 1] − 1]`. */
interface PlaceCorners {
  readonly list: Uint32Array;
  readonly start: Uint32Array;
}

function cornersByPlace(placeOf: Uint32Array, count: number, indices: Uint32Array): PlaceCorners {
  const start = new Uint32Array(count + 1);
  for (let corner = 0; corner < indices.length; corner++) {
    const place = placeOf[indices[corner] as number] as number;
    start[place + 1] = (start[place + 1] as number) + 1;
  }
  for (let place = 0; place < count; place++) {
    start[place + 1] = (start[place + 1] as number) + (start[place] as number);
  }
  const next = start.slice();
  const list = new Uint32Array(indices.length);
  for (let corner = 0; corner < indices.length; corner++) {
    const place = placeOf[indices[corner] as number] as number;
    const at = next[place] as number;
    list[at] = corner;
    next[place] = at + 1;
  }
  return { list, start };
}

interface Split {
  readonly indices: Uint32Array;
  readonly normals: Float32Array;
  readonly origins: Uint32Array;
}

/** Creates a vertex for each distinct pair of a file's vertex and a normal. */
function splitVertices(indices: Uint32Array, { list, start }: PlaceCorners, faces: Faces): Split {
  const out = new Uint32Array(indices.length);
  const normals = new Float32Array(indices.length * 3);
  const origins = new Uint32Array(indices.length);
  const normal = new Float32Array(3);
  let count = 0;
  for (let place = 0; place + 1 < start.length; place++) {
    const from = start[place] as number;
    const end = start[place + 1] as number;
    const isFan = end - from > MAX_NEIGHBOURS;
    const isSmooth = !isFan && areFlat(list, from, end, faces);
    const firstHere = count;
    for (let i = from; i < end; i++) {
      const corner = list[i] as number;
      const origin = indices[corner] as number;
      if (isFan) meanNormal(normal, corner, list, i, i + 1, faces);
      else if (i === from || !isSmooth) meanNormal(normal, corner, list, from, end, faces);
      let vertex = isFan ? count : firstHere;
      while (vertex < count && !(origins[vertex] === origin && isRow(normals, vertex, normal))) vertex++;
      if (vertex === count) {
        origins[vertex] = origin;
        for (let k = 0; k < 3; k++) normals[vertex * 3 + k] = normal[k] as number;
        count++;
      }
      out[corner] = vertex;
    }
  }
  return { indices: out, normals: normals.slice(0, count * 3), origins: origins.slice(0, count) };
}

function isRow(table: Float32Array, row: number, values: Float32Array): boolean {
  return table[row * 3] === values[0] && table[row * 3 + 1] === values[1] && table[row * 3 + 2] === values[2];
}

/** Whether all faces at some corners are within the crease angle of each other. Cheap: may return false if they are. */
function areFlat(list: Uint32Array, start: number, end: number, { normals, lengths }: Faces): boolean {
  const first = Math.floor((list[start] as number) / 3);
  const ox = normals[first * 3] as number;
  const oy = normals[first * 3 + 1] as number;
  const oz = normals[first * 3 + 2] as number;
  const least = HALF_CREASE * (lengths[first] as number);
  for (let i = start + 1; i < end; i++) {
    const face = Math.floor((list[i] as number) / 3);
    const along =
      ox * (normals[face * 3] as number) +
      oy * (normals[face * 3 + 1] as number) +
      oz * (normals[face * 3 + 2] as number);
    if (!(along > least * (lengths[face] as number))) return false;
  }
  return true;
}

/** The mean normal of the faces at `list[start]` to `list[end − 1]` within the crease angle of the corner's face. */
function meanNormal(
  out: Float32Array,
  corner: number,
  list: Uint32Array,
  start: number,
  end: number,
  { normals, lengths }: Faces,
): void {
  const own = Math.floor(corner / 3);
  const ox = normals[own * 3] as number;
  const oy = normals[own * 3 + 1] as number;
  const oz = normals[own * 3 + 2] as number;
  const least = CREASE * (lengths[own] as number);
  let nx = 0;
  let ny = 0;
  let nz = 0;
  for (let i = start; i < end; i++) {
    const face = Math.floor((list[i] as number) / 3);
    const fx = normals[face * 3] as number;
    const fy = normals[face * 3 + 1] as number;
    const fz = normals[face * 3 + 2] as number;
    if (ox * fx + oy * fy + oz * fz < least * (lengths[face] as number)) continue;
    nx += fx;
    ny += fy;
    nz += fz;
  }
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
  out[0] = nx / length;
  out[1] = ny / length;
  out[2] = nz / length;
}

/** 0, 1, 2 and so on: the indices of triangles that share no vertex. */
export function sequentialIndices(length: number): Uint32Array {
  const out = new Uint32Array(length);
  for (let index = 0; index < length; index++) out[index] = index;
  return out;
}

/** Copies the rows of a table that `rows` lists, in that order. */
export function gather(values: Float32Array, rows: ArrayLike<number>, width: number): Float32Array {
  const out = new Float32Array(rows.length * width);
  for (let row = 0; row < rows.length; row++) {
    const from = (rows[row] as number) * width;
    for (let k = 0; k < width; k++) out[row * width + k] = values[from + k] as number;
  }
  return out;
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

/** Which triples in a table are equal. */
interface DistinctTriples {
  /** For each triple, the number of its value, from 0 in order of first occurrence. */
  readonly of: Uint32Array;
  /** For each value, the first triple that has it. */
  readonly firsts: Uint32Array;
}

/** Numbers the distinct values among rows of three 32-bit words, using an open-addressing hash table. */
export function distinctTriples(words: Uint32Array): DistinctTriples {
  const rows = Math.floor(words.length / 3);
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, rows * 2)));
  const table = new Int32Array(size).fill(-1);
  const of = new Uint32Array(rows);
  const firsts = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const x = words[row * 3] as number;
    const y = words[row * 3 + 1] as number;
    const z = words[row * 3 + 2] as number;
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (size - 1);
    for (;;) {
      const value = table[slot] as number;
      if (value < 0) {
        table[slot] = count;
        of[row] = count;
        firsts[count++] = row;
        break;
      }
      const first = (firsts[value] as number) * 3;
      if (words[first] === x && words[first + 1] === y && words[first + 2] === z) {
        of[row] = value;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return { of, firsts: firsts.slice(0, count) };
}
