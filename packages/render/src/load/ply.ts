import { type PlyHeader, parsePlyHeader } from '@bindery/formats';
import { srgbToLinear } from '../color.ts';
import { readable, Unrenderable } from '../errors.ts';
import { withCreaseNormals } from '../geometry/normals.ts';
import type { Budget } from '../limits.ts';
import { IDENTITY } from '../matrix.ts';
import type { Geometry, PointCloud } from '../scene.ts';
import { type PlyTable, readPlyTables } from './ply-table.ts';

/** A PLY file's surface, or its points if it has no faces. */
export type Ply =
  | { readonly geometry: Geometry }
  | { readonly geometry: undefined; readonly points: PointCloud };

/** @throws Unrenderable */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  return readable(() => parsePlyHeader(bytes));
}

export function loadPly(bytes: Uint8Array, budget: Budget): Ply {
  const header = readPlyHeader(bytes);
  const tables = readPlyTables(bytes, header, {
    admit: (element) => budget.spend(element.name === 'face' ? 'triangles' : 'vertices', element.count),
  });
  const vertices = tables.get('vertex');
  if (vertices === undefined || vertices.count === 0) throw new Unrenderable('the PLY file has no vertices');
  const positions = positionsOf(vertices);
  const indices = trianglesOf(tables.get('face'), vertices.count, budget);
  if (indices.length === 0) {
    return { geometry: undefined, points: { positions, colors: colorsOf(vertices, 3), transform: IDENTITY } };
  }
  const colors = colorsOf(vertices, 4);
  const normals = normalsOf(vertices);
  return {
    geometry: normals
      ? { positions, indices, normals, colors }
      : withCreaseNormals(positions, indices, { colors }),
  };
}

function positionsOf(vertices: PlyTable): Float32Array {
  const positions = interleaved(vertices, ['x', 'y', 'z']);
  if (positions === undefined) throw new Unrenderable('the PLY file has no positions');
  return positions;
}

function normalsOf(vertices: PlyTable): Float32Array | undefined {
  return interleaved(vertices, ['nx', 'ny', 'nz']);
}

function interleaved(table: PlyTable, names: readonly string[]): Float32Array | undefined {
  const columns = names.map((name) => table.columns.get(name));
  if (columns.some((column) => column === undefined)) return undefined;
  const out = new Float32Array(table.count * names.length);
  for (const [k, column] of columns.entries()) {
    for (let row = 0; row < table.count; row++) out[row * names.length + k] = column?.[row] ?? 0;
  }
  return out;
}

/** Vertex colours, linear, with opacity if `width` is 4. */
function colorsOf(vertices: PlyTable, width: 3 | 4): Float32Array | undefined {
  const names = vertices.columns.has('red') ? ['red', 'green', 'blue'] : ['r', 'g', 'b'];
  const bytes = interleaved(vertices, names);
  if (bytes === undefined) return undefined;
  const isFraction = vertices.columns.get(names[0] as string) instanceof Float32Array;
  const out = new Float32Array(vertices.count * width).fill(1);
  for (let row = 0; row < vertices.count; row++) {
    for (let k = 0; k < 3; k++) {
      const value = bytes[row * 3 + k] as number;
      out[row * width + k] = srgbToLinear(Math.min(1, Math.max(0, isFraction ? value : value / 255)));
    }
  }
  return out;
}

/** Faces as fans of triangles; faces with vertices that do not exist are left out. */
function trianglesOf(faces: PlyTable | undefined, vertexCount: number, budget: Budget): Uint32Array {
  if (faces?.list === undefined) return new Uint32Array();
  const { values, starts } = faces.list;
  budget.spend('triangles', Math.max(0, values.length - 3 * faces.count));
  const indices: number[] = [];
  for (let face = 0; face < faces.count; face++) {
    const start = starts[face] as number;
    const end = starts[face + 1] as number;
    let valid = true;
    for (let i = start; i < end; i++)
      valid &&= (values[i] as number) >= 0 && (values[i] as number) < vertexCount;
    if (!valid) continue;
    for (let i = start + 1; i + 1 < end; i++) {
      indices.push(values[start] as number, values[i] as number, values[i + 1] as number);
    }
  }
  return Uint32Array.from(indices);
}
