import type { LoadContext } from '../context.ts';
import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import type { Matrix4 } from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import { gather, sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { triangulate } from '../model/polygon.ts';
import { DEFAULT_MATERIAL, type Instance, plainMaterial, type Texture } from '../model/scene.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { type PlyHeader, parsePlyHeader } from './header.ts';
import { type PlyTable, readPlyTables } from './table.ts';

/** @throws Unrenderable */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  return readable(() => parsePlyHeader(bytes));
}

export const reader: FormatReader = { readMesh: loadPly };

/** Loads the surface, or the points if there are no faces. */
async function loadPly(path: string, context: LoadContext): Promise<MeshFile> {
  const { files, budget, textures } = context;
  const bytes = asPlainText(await files.read(path));
  const header = readPlyHeader(bytes);
  const tables = readPlyTables(bytes, header, {
    admit: (element) => budget.spend(element.name === 'face' ? 'triangles' : 'vertices', element.count),
  });
  const vertices = tables.get('vertex');
  if (vertices === undefined || vertices.count === 0) throw new Unrenderable('the PLY file has no vertices');
  const { positions, transform } = positionsOf(vertices);
  const faces = trianglesOf(tables.get('face'), positions, budget);
  if (faces.indices.length === 0) {
    const points = [{ positions, colors: colorsOf(vertices, 3), transform }];
    return { instances: [], points, isYUp: false, hasMaterials: true };
  }
  const mesh = { vertices, positions, faces, transform };
  const load = (name: string | undefined) =>
    name === undefined ? undefined : textures.loadReferenced(name, files.resolve(path, name));
  const [texture, ...others] = await Promise.all(header.textures.map(load));
  const painted = texture && texturedInstances(mesh, [texture, ...others]);
  const instances = painted ?? [plainInstance(mesh)];
  return {
    instances,
    points: [],
    isYUp: false,
    hasMaterials: instances.some(
      ({ geometry, material }) => geometry.colors !== undefined || material.baseColorTexture !== undefined,
    ),
  };
}

interface PlyMesh {
  readonly vertices: PlyTable;
  readonly positions: Float32Array;
  readonly faces: Triangles;
  readonly transform: Matrix4;
}

function plainInstance({ vertices, positions, faces: { indices }, transform }: PlyMesh): Instance {
  const colors = colorsOf(vertices, 4);
  const normals = interleaved(vertices, ['nx', 'ny', 'nz']);
  const geometry = normals
    ? { positions, indices, normals, colors }
    : withCreaseNormals(positions, indices, { colors });
  return { geometry, material: plainMaterial(geometry), transform };
}

/** Names that programs give to texture coordinates of vertices. */
const VERTEX_UVS = [
  ['s', 't'],
  ['u', 'v'],
  ['texture_u', 'texture_v'],
  ['texture_s', 'texture_t'],
] as const;

/** One instance for each picture, mapped by coordinates of corners or of vertices; undefined without any. */
function texturedInstances(
  { vertices, positions, faces, transform }: PlyMesh,
  textures: readonly (Texture | undefined)[],
): Instance[] | undefined {
  const named = VERTEX_UVS.find((names) => names.every((name) => vertices.columns.has(name)));
  const ofVertices = named && interleaved(vertices, named);
  const uvs = faces.uvs ?? (ofVertices && gather(ofVertices, faces.indices, 2));
  if (uvs === undefined) return undefined;
  const flipped = uvs.map((value, at) => (at % 2 === 0 ? value : 1 - value));
  const byPicture = Map.groupBy(
    sequentialIndices(faces.indices.length / 3),
    (face) => faces.pictures?.[face] ?? 0,
  );
  return [...byPicture].map(([picture, list]) => {
    const corners = Uint32Array.from(list.flatMap((face) => [face * 3, face * 3 + 1, face * 3 + 2]));
    const own = gather(
      positions,
      corners.map((corner) => faces.indices[corner] as number),
      3,
    );
    const geometry = withCreaseNormals(own, sequentialIndices(corners.length), {
      uvs: gather(flipped, corners, 2),
    });
    const baseColorTexture = textures[picture];
    const material = baseColorTexture
      ? { ...DEFAULT_MATERIAL, baseColor: [1, 1, 1, 1] as const, baseColorTexture }
      : DEFAULT_MATERIAL;
    return { geometry, material, transform };
  });
}

function positionsOf(vertices: PlyTable): { positions: Float32Array; transform: Matrix4 } {
  const columns = ['x', 'y', 'z'].map((name) => vertices.columns.get(name));
  if (columns.some((column) => column === undefined)) throw new Unrenderable('the PLY file has no positions');
  const values = new Float64Array(vertices.count * 3);
  for (let k = 0; k < values.length; k++) values[k] = columns[k % 3]?.[Math.floor(k / 3)] ?? 0;
  return fromFirst(values);
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

interface Triangles {
  readonly indices: Uint32Array;
  /** u, v per corner, if faces have their own. */
  readonly uvs: Float32Array | undefined;
  /** The number of the picture per triangle, if faces name one. */
  readonly pictures: readonly number[] | undefined;
}

/** Faces as triangles; faces with vertices that do not exist are left out. */
function trianglesOf(faces: PlyTable | undefined, positions: Float32Array, budget: Budget): Triangles {
  const list = faces?.lists.get('vertex_indices') ?? faces?.lists.values().next().value;
  if (faces === undefined || list === undefined)
    return { indices: new Uint32Array(), uvs: undefined, pictures: undefined };
  const { values, starts } = list;
  const laid = faces.lists.get('texcoord');
  const numbers = faces.columns.get('texnumber');
  const vertexCount = positions.length / 3;
  budget.spend('triangles', Math.max(0, values.length - 3 * faces.count));
  const indices: number[] = [];
  const uvs: number[] = [];
  const pictures: number[] = [];
  for (let face = 0; face < faces.count; face++) {
    const start = starts[face] as number;
    const end = starts[face + 1] as number;
    let valid = true;
    for (let i = start; i < end; i++)
      valid &&= (values[i] as number) >= 0 && (values[i] as number) < vertexCount;
    if (!valid) continue;
    const firstUv = laid?.starts[face] ?? 0;
    triangulate(
      end - start,
      (corner, axis) => positions[(values[start + corner] as number) * 3 + axis] as number,
      (...triangle) => {
        pictures.push(numbers?.[face] ?? 0);
        for (const corner of triangle) {
          indices.push(values[start + corner] as number);
          for (let k = 0; k < 2; k++) uvs.push(laid?.values[firstUv + corner * 2 + k] ?? 0);
        }
      },
    );
  }
  return {
    indices: Uint32Array.from(indices),
    uvs: laid && Float32Array.from(uvs),
    pictures: numbers && pictures,
  };
}
