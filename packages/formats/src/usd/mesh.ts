import { distinctTriples, gather, sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { triangulate } from '../model/polygon.ts';
import type { Geometry } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { type Primvar, readPrimvar } from './primvars.ts';
import type { Deformation } from './skeletons.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { floats, integers, numbersOf, textOf } from './values.ts';

/** The triangles of a mesh, each by the numbers of its corners in the file. */
export interface UsdMesh {
  readonly prim: UsdPrim;
  readonly points: Float32Array;
  /** The point at each corner of the file's faces. */
  readonly pointAt: Int32Array;
  readonly corners: Uint32Array;
  /** The face of each triangle. */
  readonly faces: Uint32Array;
  readonly faceCount: number;
  /** A skeleton moved its points, so that the normals of the file are not its own. */
  readonly isDeformed: boolean;
}

/** Reads the faces of a mesh as triangles; undefined without any. Faces whose points do not exist are left out. */
export function readMesh(prim: UsdPrim, budget: Budget, deformation?: Deformation): UsdMesh | undefined {
  const [points, counts, indices] = ['points', 'faceVertexCounts', 'faceVertexIndices'].map((name) =>
    numbersOf(prim.value(name)),
  );
  if (points === undefined || counts === undefined || indices === undefined || points.length < 9)
    return undefined;
  budget.check('vertices', points.length / 3);
  budget.check('triangles', Math.max(0, indices.length - 2 * counts.length));
  const placed = floats(points);
  const mesh = {
    points: deformation?.points(placed) ?? placed,
    pointAt: integers(indices),
    holes: new Set(Array.from(numbersOf(prim.value('holeIndices')) ?? [])),
    isLeftHanded: textOf(prim.value('orientation')) === 'leftHanded',
  };
  const { corners, faces } = trianglesOf(integers(counts), mesh);
  if (corners.length === 0) return undefined;
  return {
    prim,
    points: mesh.points,
    pointAt: mesh.pointAt,
    corners,
    faces,
    faceCount: counts.length,
    isDeformed: deformation !== undefined,
  };
}

interface Polygons {
  readonly points: Float32Array;
  readonly pointAt: Int32Array;
  readonly holes: ReadonlySet<number>;
  readonly isLeftHanded: boolean;
}

function trianglesOf(counts: Int32Array, { points, pointAt, holes, isLeftHanded }: Polygons) {
  const corners = new Uint32Array(
    3 * Math.max(0, pointAt.length - 2 * counts.length + counts.filter((n) => n < 3).length * 2),
  );
  const faces = new Uint32Array(corners.length / 3);
  let made = 0;
  let start = 0;
  const add = (face: number, a: number, b: number, c: number) => {
    corners[made * 3] = a;
    corners[made * 3 + 1] = isLeftHanded ? c : b;
    corners[made * 3 + 2] = isLeftHanded ? b : c;
    faces[made++] = face;
  };
  for (let face = 0; face < counts.length; face++) {
    const count = counts[face] as number;
    const first = start;
    if (count < 0 || first + count > pointAt.length)
      throw new Unrenderable('a USD mesh has fewer corners than its faces');
    start += count;
    if (count < 3 || (holes.size > 0 && holes.has(face)) || !exist(pointAt, first, count, points.length / 3))
      continue;
    if (count === 3) add(face, first, first + 1, first + 2);
    else {
      const at = (corner: number, axis: 0 | 1 | 2) =>
        points[(pointAt[first + corner] as number) * 3 + axis] as number;
      if (count === 4 && isConvexQuad(at)) {
        add(face, first, first + 1, first + 2);
        add(face, first, first + 2, first + 3);
      } else triangulate(count, at, (a, b, c) => add(face, first + a, first + b, first + c));
    }
  }
  return { corners: corners.subarray(0, made * 3), faces: faces.subarray(0, made) };
}

function exist(pointAt: Int32Array, first: number, count: number, points: number): boolean {
  for (let corner = first; corner < first + count; corner++) {
    const point = pointAt[corner] as number;
    if (point < 0 || point >= points) return false;
  }
  return true;
}

/** Whether the two triangles on the first diagonal, and those on the second, face the same way. */
function isConvexQuad(at: (corner: number, axis: 0 | 1 | 2) => number): boolean {
  const agree = (a: number, b: number, c: number, d: number) => {
    let dot = 0;
    for (const axis of [0, 1, 2] as const) {
      const [u, v] = OTHER_AXES[axis];
      const side = (p: number, q: number, r: number) =>
        (at(q, u) - at(p, u)) * (at(r, v) - at(p, v)) - (at(q, v) - at(p, v)) * (at(r, u) - at(p, u));
      dot += side(a, b, c) * side(a, c, d);
    }
    return dot >= 0;
  };
  return agree(0, 1, 2, 3) && agree(1, 2, 3, 0);
}

const OTHER_AXES = [
  [1, 2],
  [2, 0],
  [0, 1],
] as const;

/** What a part of a mesh is drawn with. */
export interface Dress {
  /** Names of the primvars with texture coordinates, at most two. */
  readonly uvs: readonly string[];
  readonly hasColors: boolean;
}

/** The geometry of a mesh, or of some of its triangles. */
export function geometryOf(
  mesh: UsdMesh,
  triangles: Uint32Array | undefined,
  { uvs, hasColors }: Dress,
  budget: Budget,
): Geometry {
  const { prim, points } = mesh;
  const part = new MeshPart(mesh, triangles);
  const laid = uvs.map((name) => part.column(`primvars:${name}`, 2) ?? CORNER);
  const normals = mesh.isDeformed
    ? undefined
    : (part.column('primvars:normals', 3) ?? part.column('normals', 3));
  const colors = hasColors ? part.column('primvars:displayColor', 3) : undefined;
  const opacity = hasColors ? part.column('primvars:displayOpacity', 1) : undefined;
  const { indices, firsts } = part.distinctVertices([normals, ...laid, colors, opacity]);
  budget.spend('vertices', firsts.length);
  budget.spend('triangles', indices.length / 3);
  const values = (column: Column | undefined) => column?.at(firsts);
  const pointOf = firsts.map((corner) => part.points[corner] as number);
  const positions = gather(points, pointOf, 3);
  const [first, second] = laid.map(values);
  const attributes = {
    uvs: upsideDown(first),
    uvs1: upsideDown(second),
    colors: colors || opacity ? rgba(values(colors), values(opacity), firsts.length) : undefined,
  };
  if (normals !== undefined)
    return { positions, indices, normals: unitRows(normals.at(firsts)), ...attributes };
  if (!isSmooth(prim)) return withCreaseNormals(positions, indices, attributes);
  return { positions, indices, normals: gather(smoothNormals(mesh), pointOf, 3), ...attributes };
}

/** Without coordinates, the corner of a picture is what is seen of it. */
const CORNER: Column = {
  rows: new Uint32Array(),
  isByPoint: true,
  at: ({ length }) => new Float32Array(length * 2),
};

/** The triangles of which each is in one tile of the plane of textures, by the number of the tile in `<UDIM>`. */
export function trianglesByTile(
  mesh: UsdMesh,
  triangles: Uint32Array,
  uvs: string,
): Map<number, Uint32Array> {
  const column = new MeshPart(mesh, triangles).column(`primvars:${uvs}`, 2);
  if (column === undefined) return new Map([[FIRST_TILE, triangles]]);
  const places = column.at(sequentialIndices(triangles.length * 3));
  const middle = (triangle: number, axis: 0 | 1) =>
    Math.floor([0, 2, 4].reduce((sum, k) => sum + (places[triangle * 6 + k + axis] as number), 0) / 3);
  const tileOf = (_: number, index: number) =>
    FIRST_TILE + Math.min(9, Math.max(0, middle(index, 0))) + 10 * Math.max(0, middle(index, 1));
  return new Map([...Map.groupBy(triangles, tileOf)].map(([tile, list]) => [tile, Uint32Array.from(list)]));
}

const FIRST_TILE = 1001;

/** Values of a primvar at the corners of some triangles. */
interface Column {
  /** For each corner, which value it has. */
  readonly rows: Uint32Array;
  /** Whether corners at the same point have the same value. */
  readonly isByPoint: boolean;
  /** The values at some of the corners. */
  at(corners: Uint32Array): Float32Array;
}

class MeshPart {
  readonly #mesh: UsdMesh;
  readonly #corners: Uint32Array;
  readonly #triangles: Uint32Array | undefined;
  /** The point of each corner. */
  readonly points: Uint32Array;

  constructor(mesh: UsdMesh, triangles: Uint32Array | undefined) {
    this.#mesh = mesh;
    this.#triangles = triangles;
    this.#corners = triangles === undefined ? mesh.corners : cornersOf(mesh.corners, triangles);
    this.points = new Uint32Array(this.#corners.length);
    for (let corner = 0; corner < this.points.length; corner++)
      this.points[corner] = mesh.pointAt[this.#corners[corner] as number] as number;
  }

  column(name: string, width: number): Column | undefined {
    const { prim, faceCount, points, pointAt } = this.#mesh;
    const extent = { faces: faceCount, points: points.length / 3, corners: pointAt.length };
    const primvar = readPrimvar(prim, name, width, extent);
    if (primvar === undefined) return undefined;
    const { values, interpolation } = primvar;
    const rows = this.#rowsOf(primvar);
    return {
      rows,
      isByPoint: interpolation === 'constant' || interpolation === 'vertex',
      at: (corners) => {
        const out = new Float32Array(corners.length * width);
        for (let at = 0; at < corners.length; at++) {
          const row = rows[corners[at] as number] as number;
          for (let k = 0; k < width; k++) out[at * width + k] = values[row * width + k] ?? 0;
        }
        return out;
      },
    };
  }

  #rowsOf({ interpolation, indices }: Primvar): Uint32Array {
    const rows = new Uint32Array(this.#corners.length);
    if (interpolation === 'vertex') rows.set(this.points);
    else if (interpolation === 'faceVarying') rows.set(this.#corners);
    else if (interpolation === 'uniform') {
      for (let corner = 0; corner < rows.length; corner++) {
        const triangle = Math.floor(corner / 3);
        rows[corner] = this.#mesh.faces[this.#triangles?.[triangle] ?? triangle] as number;
      }
    }
    if (indices !== undefined)
      for (let corner = 0; corner < rows.length; corner++)
        rows[corner] = indices[rows[corner] as number] ?? 0;
    return rows;
  }

  /** One vertex for all corners with the same point and the same values. */
  distinctVertices(columns: readonly (Column | undefined)[]): Vertices {
    const varying = columns.filter((column) => column?.isByPoint === false) as Column[];
    const words = new Uint32Array(this.points.length * 3);
    let of = this.points;
    let firsts: Uint32Array | undefined;
    for (let at = 0; at < varying.length || firsts === undefined; at += 2) {
      const [second, third] = varying.slice(at, at + 2);
      for (let corner = 0; corner < of.length; corner++) {
        words[corner * 3] = of[corner] as number;
        words[corner * 3 + 1] = second?.rows[corner] ?? 0;
        words[corner * 3 + 2] = third?.rows[corner] ?? 0;
      }
      const found = distinctTriples(words);
      of = found.of;
      firsts = found.firsts;
    }
    return { indices: of, firsts };
  }
}

interface Vertices {
  readonly indices: Uint32Array;
  /** The first corner of each vertex. */
  readonly firsts: Uint32Array;
}

function cornersOf(corners: Uint32Array, triangles: Uint32Array): Uint32Array {
  const out = new Uint32Array(triangles.length * 3);
  for (let at = 0; at < out.length; at++)
    out[at] = corners[(triangles[Math.floor(at / 3)] as number) * 3 + (at % 3)] as number;
  return out;
}

/** Subdivided surfaces are smooth, except where creases say otherwise. */
function isSmooth(prim: UsdPrim): boolean {
  const scheme = textOf(prim.value('subdivisionScheme')) ?? 'catmullClark';
  if (scheme !== 'catmullClark' && scheme !== 'loop') return false;
  return (numbersOf(prim.value('creaseIndices'))?.length ?? 0) === 0;
}

/** The mean of the normals of the faces at each point, by their area. */
function smoothNormals({ points, pointAt, corners }: UsdMesh): Float32Array {
  const sums = new Float32Array(points.length);
  const edge = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at + 2 < corners.length; at += 3) {
    const places = [0, 1, 2].map((k) => (pointAt[corners[at + k] as number] as number) * 3) as [
      number,
      number,
      number,
    ];
    for (let axis = 0; axis < 3; axis++) {
      const origin = points[places[0] + axis] as number;
      edge[axis] = (points[places[1] + axis] as number) - origin;
      edge[3 + axis] = (points[places[2] + axis] as number) - origin;
    }
    const [ux, uy, uz, vx, vy, vz] = edge as [number, number, number, number, number, number];
    for (const place of places) {
      sums[place] = (sums[place] as number) + uy * vz - uz * vy;
      sums[place + 1] = (sums[place + 1] as number) + uz * vx - ux * vz;
      sums[place + 2] = (sums[place + 2] as number) + ux * vy - uy * vx;
    }
  }
  return unitRows(sums);
}

function unitRows(rows: Float32Array): Float32Array {
  const out = new Float32Array(rows.length);
  for (let at = 0; at + 2 < rows.length; at += 3) {
    const [x, y, z] = [rows[at] as number, rows[at + 1] as number, rows[at + 2] as number];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length > 0) {
      out[at] = x / length;
      out[at + 1] = y / length;
      out[at + 2] = z / length;
    } else out[at + 1] = 1;
  }
  return out;
}

/** Pictures begin at the bottom in USD. */
function upsideDown(uvs: Float32Array | undefined): Float32Array | undefined {
  return uvs?.map((value, at) => (at % 2 === 0 ? value : 1 - value));
}

function rgba(
  colors: Float32Array | undefined,
  opacity: Float32Array | undefined,
  count: number,
): Float32Array {
  const out = new Float32Array(count * 4).fill(1);
  for (let vertex = 0; vertex < count; vertex++) {
    for (let k = 0; k < 3; k++)
      if (colors !== undefined)
        out[vertex * 4 + k] = Math.min(1, Math.max(0, colors[vertex * 3 + k] as number));
    if (opacity !== undefined) out[vertex * 4 + 3] = Math.min(1, Math.max(0, opacity[vertex] as number));
  }
  return out;
}
