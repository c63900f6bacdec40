import { memoised } from '../memoised.ts';
import { type CornerCoordinate, triangulate } from '../model/polygon.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { type ColladaDocument, mostNumbers, readNumbers } from './document.ts';

/** The corners of a primitive's polygons, in file order, and the triangles that they form. */
export interface Corners {
  /** Row indices, `width` per corner: one for each offset of the primitive's inputs. */
  readonly rows: Int32Array;
  readonly width: number;
  /** Corner indices, three per triangle. */
  readonly triangles: Uint32Array;
}

/** The elements of a mesh that have a surface; lines have none. */
export const PRIMITIVES: ReadonlySet<string> = new Set([
  'triangles',
  'polylist',
  'polygons',
  'trifans',
  'tristrips',
]);

/** Where a row of positions is, and which of a corner's rows that is. */
interface CornerPlaces {
  readonly offset: number;
  coordinate(row: number, axis: 0 | 1 | 2): number;
}

/** Reads the corners of one of `PRIMITIVES`. Holes are ignored. */
export function readCorners(
  primitive: XmlElement,
  width: number,
  budget: Budget,
  places: CornerPlaces,
): Corners {
  const lists = primitive.name === 'polygons' ? outlines(primitive) : childrenNamed(primitive, 'p');
  const numbers = lists.reduce((sum, list) => sum + mostNumbers(list.text), 0);
  const mostCorners = Math.min(Math.floor(numbers / width), budget.limits.vertices + 1);
  const room = new Int32Array(mostCorners * width);
  const triangles = new TriangleList(mostCorners, (corner, axis) =>
    places.coordinate(room[corner * width + places.offset] as number, axis),
  );
  let corners = 0;
  for (const list of lists) {
    const count = Math.floor(readNumbers(list.text, room.subarray(corners * width)) / width);
    addTriangles(primitive, corners, count, triangles);
    corners += count;
  }
  budget.check('vertices', corners);
  return { rows: room.slice(0, corners * width), width, triangles: triangles.list() };
}

function outlines(polygons: XmlElement): XmlElement[] {
  return polygons.children.flatMap((child) => {
    const outline = child.name === 'ph' ? childNamed(child, 'p') : child;
    return outline?.name === 'p' ? [outline] : [];
  });
}

function addTriangles(primitive: XmlElement, first: number, count: number, triangles: TriangleList): void {
  switch (primitive.name) {
    case 'triangles':
      for (let corner = 0; corner + 2 < count; corner += 3) triangles.fan(first + corner, 3);
      break;
    case 'polylist':
      addPolygons(childNamed(primitive, 'vcount')?.text ?? '', first, count, triangles);
      break;
    case 'tristrips':
      triangles.strip(first, count);
      break;
    case 'trifans':
      triangles.fan(first, count);
      break;
    default:
      triangles.polygon(first, count);
  }
}

function addPolygons(vcount: string, first: number, count: number, triangles: TriangleList): void {
  const sizes = new Int32Array(mostNumbers(vcount));
  const polygons = readNumbers(vcount, sizes);
  for (let polygon = 0, corner = 0; polygon < polygons; polygon++) {
    const size = sizes[polygon] as number;
    if (size < 0 || corner + size > count) return;
    triangles.polygon(first + corner, size);
    corner += size;
  }
}

/** A list of triangles over corners, at most as many as there are corners. */
class TriangleList {
  readonly #corners: Uint32Array;
  #length = 0;

  readonly #at: CornerCoordinate;

  constructor(mostCorners: number, at: CornerCoordinate) {
    this.#corners = new Uint32Array(mostCorners * 3);
    this.#at = at;
  }

  polygon(first: number, count: number): void {
    triangulate(
      count,
      (corner, axis) => this.#at(first + corner, axis),
      (a, b, c) => this.#add(first + a, first + b, first + c),
    );
  }

  fan(first: number, count: number): void {
    for (let corner = 1; corner + 1 < count; corner++) this.#add(first, first + corner, first + corner + 1);
  }

  strip(first: number, count: number): void {
    for (let corner = 0; corner + 2 < count; corner++) {
      const odd = corner % 2;
      this.#add(first + corner + odd, first + corner + 1 - odd, first + corner + 2);
    }
  }

  list(): Uint32Array {
    return this.#corners.slice(0, this.#length);
  }

  #add(a: number, b: number, c: number): void {
    this.#corners[this.#length++] = a;
    this.#corners[this.#length++] = b;
    this.#corners[this.#length++] = c;
  }
}

/** Rows of an array of numbers: row r begins at `start + r · stride`. */
export interface Source {
  readonly values: Float64Array;
  readonly start: number;
  readonly stride: number;
  readonly count: number;
}

/** The `<source>` elements of a document; each array of numbers is read once, even if several sources share it. */
export class ColladaSources {
  readonly #document: ColladaDocument;
  readonly #budget: Budget;

  constructor(document: ColladaDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  /**
   * The rows at an address in a mesh; undefined if there is no such source. If several meshes use the same ids, the
   * mesh's own source is meant.
   */
  rows(address: string | undefined, mesh: XmlElement): Source | undefined {
    const element = this.#ownSources(mesh).get(address ?? '') ?? this.#document.find('source', address);
    return element && this.#read(element);
  }

  /** The sources inside a mesh, by address. */
  readonly #ownSources = memoised(
    (mesh: XmlElement) =>
      new Map(childrenNamed(mesh, 'source').map((source) => [`#${source.attributes.id}`, source])),
  );

  readonly #read = memoised((element: XmlElement): Source => {
    const accessor = childNamed(childNamed(element, 'technique_common'), 'accessor');
    const address = accessor?.attributes.source;
    const array =
      element.children.find(
        ({ name, attributes }) => name === 'float_array' && `#${attributes.id}` === address,
      ) ??
      this.#document.find('float_array', address) ??
      childNamed(element, 'float_array');
    if (accessor === undefined || array === undefined)
      throw new Unrenderable('a COLLADA source without numbers');
    const { count, stride, offset } = accessor.attributes;
    const rows = whole(count ?? '0');
    const [step, start] = [whole(stride ?? '1'), whole(offset ?? '0')];
    this.#budget.spend('vertices', rows);
    const values = this.#array(array);
    if (rows > 0 && start + rows * step > values.length)
      throw new Unrenderable('a COLLADA source is shorter than it says');
    return { values, start, stride: step, count: rows };
  });

  readonly #array = memoised((element: XmlElement) => {
    const room = new Float64Array(mostNumbers(element.text));
    return room.slice(0, readNumbers(element.text, room));
  });
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Unrenderable('a COLLADA source with an impossible count');
  return value;
}
