import type { Geometry } from '../scene.ts';

const CREASE = Math.cos((38 * Math.PI) / 180);
/** Corners at one place beyond this number keep the normal of their own face, so that hostile fans stay cheap. */
const MOST_NEIGHBOURS = 48;

/**
 * Geometry with normals of its own making: smooth where faces meet at a flat angle, sharp at edges. Corners at the
 * same place count as one, whether or not the file shares their vertices.
 */
export function withCreaseNormals(
  positions: Float32Array,
  indices: Uint32Array,
  attributes: Pick<Geometry, 'uvs' | 'uvs1' | 'colors'> = {},
): Geometry {
  const faces = faceNormals(positions, indices);
  const places = weld(positions);
  const corners = cornersByPlace(places.of, places.count, indices);
  const normals = new Float32Array(indices.length * 3);
  for (let corner = 0; corner < indices.length; corner++) {
    const place = places.of[indices[corner] as number] as number;
    smooth(
      normals,
      corner,
      corners.list,
      corners.start[place] as number,
      corners.start[place + 1] as number,
      faces,
    );
  }
  return splitCorners(positions, indices, normals, attributes);
}

/** Area-weighted normals, not normalised: cross products of two edges. */
function faceNormals(positions: Float32Array, indices: Uint32Array): Float64Array {
  const out = new Float64Array(indices.length);
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const a = (indices[i] as number) * 3;
    const b = (indices[i + 1] as number) * 3;
    const c = (indices[i + 2] as number) * 3;
    const ux = (positions[b] as number) - (positions[a] as number);
    const uy = (positions[b + 1] as number) - (positions[a + 1] as number);
    const uz = (positions[b + 2] as number) - (positions[a + 2] as number);
    const vx = (positions[c] as number) - (positions[a] as number);
    const vy = (positions[c + 1] as number) - (positions[a + 1] as number);
    const vz = (positions[c + 2] as number) - (positions[a + 2] as number);
    out[i] = uy * vz - uz * vy;
    out[i + 1] = uz * vx - ux * vz;
    out[i + 2] = ux * vy - uy * vx;
  }
  return out;
}

/** Numbers the distinct places among the vertices, by an open-addressing table over their exact coordinates. */
function weld(positions: Float32Array): { of: Uint32Array; count: number } {
  const vertices = positions.length / 3;
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, vertices * 2)));
  const table = new Int32Array(size).fill(-1);
  const of = new Uint32Array(vertices);
  let count = 0;
  for (let vertex = 0; vertex < vertices; vertex++) {
    const x = bits[vertex * 3] as number;
    const y = bits[vertex * 3 + 1] as number;
    const z = bits[vertex * 3 + 2] as number;
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (size - 1);
    for (;;) {
      const other = table[slot] as number;
      if (other < 0) {
        table[slot] = vertex;
        of[vertex] = count++;
        break;
      }
      if (bits[other * 3] === x && bits[other * 3 + 1] === y && bits[other * 3 + 2] === z) {
        of[vertex] = of[other] as number;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return { of, count };
}

/** The triangles' corners grouped by place: those of place p are `list[start[p]]` to `list[start[p + 1] − 1]`. */
function cornersByPlace(places: Uint32Array, count: number, indices: Uint32Array) {
  const start = new Uint32Array(count + 1);
  for (const vertex of indices) {
    const place = places[vertex] as number;
    start[place + 1] = (start[place + 1] as number) + 1;
  }
  for (let place = 0; place < count; place++) {
    start[place + 1] = (start[place + 1] as number) + (start[place] as number);
  }
  const next = start.slice();
  const list = new Uint32Array(indices.length);
  for (let corner = 0; corner < indices.length; corner++) {
    const place = places[indices[corner] as number] as number;
    const at = next[place] as number;
    list[at] = corner;
    next[place] = at + 1;
  }
  return { list, start };
}

function smooth(
  normals: Float32Array,
  corner: number,
  list: Uint32Array,
  start: number,
  end: number,
  faces: Float64Array,
): void {
  const own = corner - (corner % 3);
  const ox = faces[own] as number;
  const oy = faces[own + 1] as number;
  const oz = faces[own + 2] as number;
  const ownLength = Math.sqrt(ox * ox + oy * oy + oz * oz);
  let [nx, ny, nz] = [ox, oy, oz];
  if (end - start <= MOST_NEIGHBOURS && ownLength > 0) {
    [nx, ny, nz] = [0, 0, 0];
    for (let i = start; i < end; i++) {
      const neighbour = list[i] as number;
      const face = neighbour - (neighbour % 3);
      const fx = faces[face] as number;
      const fy = faces[face + 1] as number;
      const fz = faces[face + 2] as number;
      const along = ox * fx + oy * fy + oz * fz;
      if (along < CREASE * ownLength * Math.sqrt(fx * fx + fy * fy + fz * fz)) continue;
      nx += fx;
      ny += fy;
      nz += fz;
    }
  }
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
  normals[corner * 3] = nx / length;
  normals[corner * 3 + 1] = ny / length;
  normals[corner * 3 + 2] = nz / length;
}

/** Gives every corner a vertex of its own. */
export function splitCorners(
  positions: Float32Array,
  indices: Uint32Array,
  normals: Float32Array,
  attributes: Pick<Geometry, 'uvs' | 'uvs1' | 'colors'> = {},
): Geometry {
  return {
    positions: gather(positions, indices, 3),
    indices: countUp(indices.length),
    normals,
    uvs: attributes.uvs && gather(attributes.uvs, indices, 2),
    uvs1: attributes.uvs1 && gather(attributes.uvs1, indices, 2),
    colors: attributes.colors && gather(attributes.colors, indices, 4),
  };
}

/** 0, 1, 2 and so on: the indices of triangles that share no vertex. */
export function countUp(length: number): Uint32Array {
  const out = new Uint32Array(length);
  for (let index = 0; index < length; index++) out[index] = index;
  return out;
}

/** The rows of a table that `rows` names, in its order. */
export function gather(values: Float32Array, rows: ArrayLike<number>, width: number): Float32Array {
  const out = new Float32Array(rows.length * width);
  for (let row = 0; row < rows.length; row++) {
    const from = (rows[row] as number) * width;
    for (let k = 0; k < width; k++) out[row * width + k] = values[from + k] as number;
  }
  return out;
}
