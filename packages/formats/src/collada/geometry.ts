import { linearColors } from '../images/pixels.ts';
import { memoised } from '../memoised.ts';
import { fromOrigin, originNear } from '../model/bounds.ts';
import type { Matrix4, Vector3 } from '../model/matrix.ts';
import { sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import type { Geometry } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import type { ColladaDocument } from './document.ts';
import { ColladaSources, type Corners, PRIMITIVES, readCorners, type Source } from './primitives.ts';

/** The triangles of one primitive, and the symbol that an instance binds to its material. */
interface Part {
  readonly geometry: Geometry;
  /** From its positions to those in the file, which can be far from zero. */
  readonly transform: Matrix4;
  readonly symbol: string | undefined;
}

/** What corners take from a source: the row whose index is at this offset among each corner's numbers. */
interface Input {
  readonly semantic: string;
  readonly set: number;
  readonly offset: number;
  readonly source: string | undefined;
}

/** The `<geometry>` elements of a document, each read once. */
export class ColladaGeometries {
  readonly #budget: Budget;
  readonly #sources: ColladaSources;

  constructor(document: ColladaDocument, budget: Budget) {
    this.#budget = budget;
    this.#sources = new ColladaSources(document, budget);
  }

  /** The parts of a geometry that have a surface. */
  readonly parts = memoised((geometry: XmlElement): readonly Part[] => {
    const mesh = childNamed(geometry, 'mesh');
    const vertices = inputsOf(childNamed(mesh, 'vertices'));
    return (mesh?.children ?? [])
      .filter(({ name }) => PRIMITIVES.has(name))
      .flatMap((primitive) => this.#read(primitive, vertices, mesh as XmlElement) ?? []);
  });

  #read(primitive: XmlElement, vertices: readonly Input[], mesh: XmlElement): Part | undefined {
    const own = inputsOf(primitive);
    const vertex = own.find((input) => input.semantic === 'VERTEX');
    if (vertex === undefined) return undefined;
    this.#budget.spend('nodes', vertices.length);
    const inputs = [...own, ...vertices.map((shared) => ({ ...shared, offset: vertex.offset }))];
    const width = inputs.reduce((most, { offset }) => Math.max(most, offset + 1), 1);
    const places = inputs.find(({ semantic }) => semantic === 'POSITION');
    const points = places && this.#sources.rows(places.source, mesh);
    if (places === undefined || points === undefined) return undefined;
    const coordinate = (row: number, axis: 0 | 1 | 2) =>
      points.values[points.start + row * points.stride + axis] ?? 0;
    const corners = readCorners(primitive, width, this.#budget, { offset: places.offset, coordinate });
    const origin = originNear(coordinate(0, 0), coordinate(0, 1), coordinate(0, 2));
    const column = (semantic: string, size: number, from?: Vector3) =>
      this.#column(mesh, inputs, semantic, corners, size, from);
    const positions = column('POSITION', 3, origin);
    if (corners.triangles.length === 0 || positions === undefined) return undefined;
    const indices = sequentialIndices(corners.triangles.length);
    const normals = column('NORMAL', 3);
    const uvs = column('TEXCOORD', 2);
    const colors = column('COLOR', 4);
    const laid = { uvs: uvs && flipV(uvs), colors: colors && linearColors(colors) };
    return {
      geometry: normals
        ? { positions, indices, normals, ...laid }
        : withCreaseNormals(positions, indices, laid),
      transform: fromOrigin(origin),
      symbol: primitive.attributes.material,
    };
  }

  /**
   * A row for each corner of each triangle, from the input with the lowest set; undefined if there is no such input or
   * a corner names a row that does not exist. @throws Unrenderable for such a row of positions.
   */
  #column(
    mesh: XmlElement,
    inputs: readonly Input[],
    semantic: string,
    corners: Corners,
    width: number,
    origin?: Vector3,
  ): Float32Array | undefined {
    const candidates = inputs.filter((input) => input.semantic === semantic);
    const [input] = candidates.sort((a, b) => a.set - b.set);
    const source = input && this.#sources.rows(input.source, mesh);
    if (source === undefined) return undefined;
    const column = gatherRows(source, corners, input?.offset ?? 0, width, origin);
    if (column === undefined && semantic === 'POSITION')
      throw new Unrenderable('a COLLADA mesh names vertices that do not exist');
    return column;
  }
}

function inputsOf(element: XmlElement | undefined): Input[] {
  const inputs = element === undefined ? [] : childrenNamed(element, 'input');
  return inputs.map(({ attributes }) => ({
    semantic: attributes.semantic ?? '',
    set: Number(attributes.set) || 0,
    offset: offsetOf(attributes.offset),
    source: attributes.source,
  }));
}

function offsetOf(text = '0'): number {
  const offset = Number(text);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Unrenderable('a COLLADA input at an impossible offset');
  return offset;
}

/** The first values of each row; a missing opacity is 1. Undefined if a row does not exist. */
function gatherRows(
  source: Source,
  corners: Corners,
  offset: number,
  width: number,
  origin: readonly number[] = [],
): Float32Array | undefined {
  const { values, start, stride, count } = source;
  const out = new Float32Array(corners.triangles.length * width);
  for (let index = 0; index < corners.triangles.length; index++) {
    const row = corners.rows[(corners.triangles[index] as number) * corners.width + offset] as number;
    if (row < 0 || row >= count) return undefined;
    for (let k = 0; k < width; k++) {
      const value = k < stride ? (values[start + row * stride + k] as number) : k === 3 ? 1 : 0;
      out[index * width + k] = value - (origin[k] ?? 0);
    }
  }
  return out;
}

/** Texture coordinates count from the bottom of the image in COLLADA. */
function flipV(uvs: Float32Array): Float32Array {
  return uvs.map((value, index) => (index % 2 === 0 ? value : 1 - value));
}
