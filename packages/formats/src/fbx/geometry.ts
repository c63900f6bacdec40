import { linearColors } from '../images/pixels.ts';
import { sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { triangulate } from '../model/polygon.ts';
import type { Geometry } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import { numbersWithin } from './reading.ts';
import { type FbxRecord, recordNamed, textAt } from './record.ts';

/** The triangles of a mesh that have one material. */
export interface FbxPart {
  readonly geometry: Geometry;
  /** The control point of each vertex, which skins and shapes move. */
  readonly controls: Uint32Array;
  /** Among the materials of the node. */
  readonly material: number;
  /** Among the textures of the node, which before 7.0 are not those of materials. */
  readonly texture: number;
}

/** A mesh in the frame of its node, as triangles. */
export interface FbxMesh {
  readonly parts: readonly FbxPart[];
  readonly controls: number;
  /** The names of the first two sets of texture coordinates. */
  readonly uvSets: readonly string[];
}

/** Reads a record with vertices and polygons; `moved`: where shapes move its vertices. */
export function readMesh(
  record: FbxRecord,
  budget: Budget,
  moved: (points: Float64Array) => void = () => {},
): FbxMesh {
  const children = record.children;
  const points = numbersWithin(recordNamed(children, 'Vertices'), budget);
  moved(points);
  const controls = Math.floor(points.length / 3);
  const outline = numbersWithin(recordNamed(children, 'PolygonVertexIndex'), budget);
  budget.spend('vertices', controls + outline.length);
  const layers = new Layers(children, budget);
  const corners = Uint32Array.from(outline, (index) => (index < 0 ? -index - 1 : index));
  const groups = triangleGroups(points, outline, corners, layers);
  const normals = layers.read('LayerElementNormal', ['Normals'], ['NormalsIndex', 'NormalIndex'], 3);
  const [uvs, uvs1] = layers.all('LayerElementUV', ['UV'], ['UVIndex'], 2);
  const colors = layers.read('LayerElementColor', ['Colors'], ['ColorIndex'], 4);
  return {
    controls,
    uvSets: layers.uvSets,
    parts: groups.map(({ material, texture, ...list }) => {
      budget.spend('vertices', list.corners.length);
      const column = (layer: Layer | undefined) => layer && gathered(layer, list, corners);
      const own = Uint32Array.from(list.corners, (corner) => corners[corner] ?? 0);
      const positions = new Float32Array(own.length * 3);
      for (let k = 0; k < positions.length; k++)
        positions[k] = points[(own[Math.floor(k / 3)] ?? 0) * 3 + (k % 3)] ?? 0;
      const indices = sequentialIndices(own.length);
      const written = column(colors);
      const laid = {
        uvs: flipped(column(uvs)),
        uvs1: flipped(column(uvs1)),
        colors: written && linearColors(written),
      };
      const given = unitNormals(column(normals));
      if (given !== undefined)
        return {
          geometry: { positions, indices, normals: given, ...laid },
          controls: own,
          material,
          texture,
        };
      const { origins, ...geometry } = withCreaseNormals(positions, indices, laid);
      return { geometry, controls: origins.map((corner) => own[corner] ?? 0), material, texture };
    }),
  };
}

/** Triangles that look the same: their corners, and the polygon of each corner. */
interface TriangleGroup {
  readonly material: number;
  readonly texture: number;
  readonly corners: number[];
  readonly polygons: number[];
}

function triangleGroups(
  points: Float64Array,
  outline: Float64Array,
  corners: Uint32Array,
  layers: Layers,
): TriangleGroup[] {
  const looks = [
    layers.read('LayerElementMaterial', ['Materials'], [], 1),
    layers.read('LayerElementTexture', ['TextureId'], [], 1),
  ];
  const groups: TriangleGroup[] = [];
  let group: TriangleGroup | undefined;
  let start = 0;
  for (let end = 1, polygon = 0; end <= outline.length; end++) {
    if ((outline[end - 1] ?? 0) >= 0 && end < outline.length) continue;
    if (isSound(points, corners, start, end)) {
      const [material = 0, texture = 0] = looks.map(
        (layer) => layer?.values[layer.row(start, corners[start] ?? 0, polygon)],
      );
      const isSame = (one: TriangleGroup) => one.material === material && one.texture === texture;
      if (group === undefined || !isSame(group)) group = groups.find(isSame);
      if (group === undefined) {
        group = { material, texture, corners: [], polygons: [] };
        groups.push(group);
      }
      addTriangles(group, points, corners, start, end, polygon);
    }
    start = end;
    polygon++;
  }
  return groups;
}

function addTriangles(
  group: TriangleGroup,
  points: Float64Array,
  corners: Uint32Array,
  start: number,
  end: number,
  polygon: number,
): void {
  triangulate(
    end - start,
    (corner, axis) => points[(corners[start + corner] ?? 0) * 3 + axis] ?? 0,
    (a, b, c) => {
      group.corners.push(start + a, start + b, start + c);
      group.polygons.push(polygon, polygon, polygon);
    },
  );
}

/** Whether a polygon has a surface of vertices that exist and have a place. */
function isSound(points: Float64Array, corners: Uint32Array, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let corner = start; corner < end; corner++) {
    const at = (corners[corner] ?? 0) * 3;
    for (let k = at; k < at + 3; k++) if (!Number.isFinite(points[k])) return false;
  }
  return true;
}

/** Attributes of corners, vertices or polygons. */
interface Layer {
  readonly values: Float64Array;
  readonly width: number;
  readonly name: string;
  /** The row of a corner, which is one of a vertex in a polygon. */
  row(corner: number, vertex: number, polygon: number): number;
}

/** The layers of attributes of a mesh. */
class Layers {
  readonly #children: readonly FbxRecord[];
  readonly #budget: Budget;

  constructor(children: readonly FbxRecord[], budget: Budget) {
    this.#children = children;
    this.#budget = budget;
  }

  get uvSets(): string[] {
    return this.#records('LayerElementUV').map(({ children }) => textAt(recordNamed(children, 'Name')));
  }

  read(type: string, values: readonly string[], index: readonly string[], width: number): Layer | undefined {
    return this.all(type, values, index, width)[0];
  }

  all(type: string, values: readonly string[], index: readonly string[], width: number): Layer[] {
    return this.#records(type)
      .slice(0, 2)
      .flatMap(({ children }) => {
        const table = numbersWithin(recordNamed(children, ...values), this.#budget);
        const rows = recordNamed(children, ...index);
        const by = rowBy(textAt(recordNamed(children, 'MappingInformationType')));
        if (table.length === 0 || by === undefined) return [];
        const listed = rows && numbersWithin(rows, this.#budget);
        const row: Layer['row'] = listed?.length
          ? (corner, vertex, polygon) => listed[by(corner, vertex, polygon)] ?? -1
          : by;
        return [{ values: table, width, name: textAt(recordNamed(children, 'Name')), row }];
      });
  }

  #records(type: string): FbxRecord[] {
    return this.#children.filter(({ name }) => name === type);
  }
}

/** Which row a corner has; undefined for what is neither of corners, vertices nor polygons. */
function rowBy(mapping: string): Layer['row'] | undefined {
  switch (mapping) {
    case 'ByPolygonVertex':
      return (corner) => corner;
    case 'ByVertice':
    case 'ByVertex':
    case 'ByControlPoint':
      return (_corner, vertex) => vertex;
    case 'ByPolygon':
      return (_corner, _vertex, polygon) => polygon;
    case 'AllSame':
      return () => 0;
    default:
      return undefined;
  }
}

/** A row for each corner; zeros where there is none. */
function gathered(
  { values, width, row }: Layer,
  list: { readonly corners: readonly number[]; readonly polygons: readonly number[] },
  vertices: Uint32Array,
): Float32Array {
  const out = new Float32Array(list.corners.length * width);
  for (const [at, corner] of list.corners.entries()) {
    const from = row(corner, vertices[corner] ?? 0, list.polygons[at] ?? 0) * width;
    for (let k = 0; k < width; k++) {
      const value = values[from + k] ?? 0;
      out[at * width + k] = Number.isFinite(value) ? value : 0;
    }
  }
  return out;
}

/** Undefined if some have no direction. */
function unitNormals(normals: Float32Array | undefined): Float32Array | undefined {
  if (normals === undefined) return undefined;
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at] ?? 0, normals[at + 1] ?? 0, normals[at + 2] ?? 0);
    if (!(length > 1e-12)) return undefined;
    for (let k = at; k < at + 3; k++) normals[k] = (normals[k] ?? 0) / length;
  }
  return normals;
}

/** Texture coordinates count from the bottom of the picture in FBX. */
function flipped(uvs: Float32Array | undefined): Float32Array | undefined {
  return uvs?.map((value, index) => (index % 2 === 0 ? value : 1 - value));
}
