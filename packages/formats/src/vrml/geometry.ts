import { srgbToLinear } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import { IDENTITY, type Matrix4 } from '../model/matrix.ts';
import { sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { triangulate } from '../model/polygon.ts';
import { box, cone, cylinder, ellipsoid } from '../model/primitives.ts';
import type { Geometry } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import { isSet, nodeIn, numberIn, numbersOf, vectorIn } from './fields.ts';
import type { VrmlNode } from './nodes.ts';

/** A surface, and where it is below its shape. */
export interface VrmlSurface {
  readonly geometry: Geometry;
  readonly transform: Matrix4;
}

/** From an axis along Z to one along Y. */
const Z_TO_Y: Matrix4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/** The surface of a geometry; undefined for what has none or is not known. */
export function surfaceOf(node: VrmlNode, budget: Budget): VrmlSurface | undefined {
  switch (node.type) {
    case 'Box': {
      const [x, y, z] = vectorIn(node, 'size', [2, 2, 2] as const);
      return { geometry: box(x / 2, y / 2, z / 2), transform: IDENTITY };
    }
    case 'Sphere': {
      const radius = numberIn(node, 'radius', 1);
      return { geometry: ellipsoid(radius, radius, radius), transform: Z_TO_Y };
    }
    case 'Cylinder': {
      const geometry = cylinder(numberIn(node, 'radius', 1), numberIn(node, 'height', 2) / 2);
      return { geometry, transform: Z_TO_Y };
    }
    case 'Cone': {
      const geometry = cone(numberIn(node, 'bottomRadius', 1), numberIn(node, 'height', 2) / 2);
      return { geometry, transform: Z_TO_Y };
    }
    case 'IndexedFaceSet':
      return faceSet(node, budget);
    case 'ElevationGrid':
      return faceSet(asFaceSet(node, budget), budget);
    default:
      return undefined;
  }
}

/** Polygons over lists of points, colours, normals and coordinates. */
function faceSet(node: VrmlNode, budget: Budget): VrmlSurface | undefined {
  const points = numbersOf(nodeIn(node, 'coord'), 'point');
  const outline = numbersOf(node, 'coordIndex');
  budget.spend('vertices', points.length / 3 + outline.length);
  const isTurned = !isSet(node, 'ccw');
  const corners: number[] = [];
  const faces: number[] = [];
  let start = 0;
  let face = 0;
  for (let end = 0; end <= outline.length; end++) {
    if (end < outline.length && (outline[end] ?? 0) >= 0) continue;
    const first = start;
    const isSound = outline.subarray(first, end).every((point) => Number.isFinite(points[point * 3 + 2]));
    if (isSound)
      triangulate(
        end - first,
        (corner, axis) => points[(outline[first + corner] ?? 0) * 3 + axis] ?? 0,
        (a, b, c) => {
          corners.push(first + a, first + (isTurned ? c : b), first + (isTurned ? b : c));
          faces.push(face, face, face);
        },
      );
    if (end > start) face++;
    start = end + 1;
  }
  if (corners.length === 0) return undefined;
  const list = { corners, faces, outline };
  const own = corners.flatMap((corner) => {
    const at = (outline[corner] ?? 0) * 3;
    return [points[at] ?? 0, points[at + 1] ?? 0, points[at + 2] ?? 0];
  });
  const { positions, transform } = fromFirst(own);
  const colors = column(node, 'color', 'color', 3, isSet(node, 'colorPerVertex'), list);
  const normals = column(node, 'normal', 'vector', 3, isSet(node, 'normalPerVertex'), list);
  const uvs = column(node, 'texCoord', 'point', 2, true, list) ?? spread(positions);
  const laid = {
    uvs: uvs.map((value, at) => (at % 2 === 0 ? value : 1 - value)),
    colors: withOpacity(colors),
  };
  const indices = sequentialIndices(corners.length);
  return {
    geometry:
      normals !== undefined && areUnit(normals)
        ? { positions, indices, normals: isTurned ? normals.map((value) => -value) : normals, ...laid }
        : withCreaseNormals(positions, indices, laid),
    transform,
  };
}

interface CornerList {
  readonly corners: readonly number[];
  readonly faces: readonly number[];
  readonly outline: Float64Array;
}

/** Values of corners or of faces, by an index of their own or by that of the points. */
function column(
  node: VrmlNode,
  field: string,
  values: string,
  width: number,
  isPerCorner: boolean,
  { corners, faces, outline }: CornerList,
): Float32Array | undefined {
  const table = numbersOf(nodeIn(node, field), values);
  if (table.length === 0) return undefined;
  const index = numbersOf(node, `${field}Index`);
  const rowOf = (corner: number, at: number): number => {
    const place = isPerCorner ? corner : (faces[at] ?? 0);
    if (index.length > 0) return index[place] ?? -1;
    return isPerCorner ? (outline[corner] ?? -1) : place;
  };
  const out = new Float32Array(corners.length * width);
  for (const [at, corner] of corners.entries()) {
    const from = rowOf(corner, at) * width;
    for (let k = 0; k < width; k++) {
      const value = table[from + k] ?? 0;
      out[at * width + k] = Number.isFinite(value) ? value : 0;
    }
  }
  return out;
}

/** A picture spreads over the two longest sides of a mesh without coordinates of its own. */
function spread(positions: Float32Array): Float32Array {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const [k, value] of positions.entries()) {
    low[k % 3] = Math.min(low[k % 3] ?? value, value);
    high[k % 3] = Math.max(high[k % 3] ?? value, value);
  }
  const side = (axis: number) => (high[axis] ?? 0) - (low[axis] ?? 0);
  const [u = 0, v = 1] = [0, 1, 2].sort((a, b) => side(b) - side(a));
  const longest = side(u) || 1;
  const out = new Float32Array((positions.length / 3) * 2);
  for (let k = 0; k < out.length; k++) {
    const axis = k % 2 === 0 ? u : v;
    out[k] = ((positions[Math.floor(k / 2) * 3 + axis] ?? 0) - (low[axis] ?? 0)) / longest;
  }
  return out;
}

function areUnit(normals: Float32Array): boolean {
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at] ?? 0, normals[at + 1] ?? 0, normals[at + 2] ?? 0);
    if (!(Math.abs(length - 1) < 0.1)) return false;
  }
  return true;
}

function withOpacity(rgb: Float32Array | undefined): Float32Array | undefined {
  if (rgb === undefined) return undefined;
  const out = new Float32Array((rgb.length / 3) * 4).fill(1);
  for (const [k, value] of rgb.entries())
    out[Math.floor(k / 3) * 4 + (k % 3)] = srgbToLinear(Math.min(1, Math.max(0, value)));
  return out;
}

/** A grid of heights as polygons. */
function asFaceSet(node: VrmlNode, budget: Budget): VrmlNode {
  const [columns, rows] = [numberIn(node, 'xDimension', 0), numberIn(node, 'zDimension', 0)];
  const heights = numbersOf(node, 'height');
  const [width, depth] = [numberIn(node, 'xSpacing', 1), numberIn(node, 'zSpacing', 1)];
  const point: number[] = [];
  const coordIndex: number[] = [];
  budget.spend('vertices', Math.min(heights.length, columns * rows));
  const count =
    Number.isSafeInteger(columns) && columns > 1 ? Math.min(rows, Math.floor(heights.length / columns)) : 0;
  for (let z = 0; z < count; z++) {
    for (let x = 0; x < columns; x++) {
      const at = z * columns + x;
      point.push(x * width, heights[at] ?? 0, z * depth);
      if (x > 0 && z > 0) coordIndex.push(at - columns - 1, at - 1, at, at - columns, -1);
    }
  }
  const coord = { type: 'Coordinate', name: undefined, fields: new Map([['point', point]]) };
  const fields = new Map([...node.fields, ['coord', [coord]] as const, ['coordIndex', coordIndex] as const]);
  return { type: 'IndexedFaceSet', name: node.name, fields };
}
