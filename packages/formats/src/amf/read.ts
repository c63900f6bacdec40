import type { FormatReader } from '../format.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { memoised } from '../memoised.ts';
import { fromFirst } from '../model/bounds.ts';
import { type Matrix4, multiply, rollPitchYaw, scaling, translation } from '../model/matrix.ts';
import { gather, sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import { DEFAULT_MATERIAL, type Instance, type Material, type Surface } from '../model/scene.ts';
import { named } from '../named.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import type { ListedDocument } from '../reading/xml-lists.ts';
import { byId, numberIn, readAmf } from './document.ts';

export const reader: FormatReader = {
  async readMesh(path, { files, budget }) {
    const document = await readAmf(await files.read(path), budget);
    const instances = new Objects(document, budget).standing();
    if (instances.length === 0) throw new Unrenderable('the AMF file has no triangles');
    const hasMaterials = instances.some(({ material }) => material !== DEFAULT_MATERIAL);
    return { instances, points: [], isYUp: false, hasMaterials };
  },
};

const METRES: Readonly<Record<string, number>> = named({
  millimeter: 0.001,
  inch: 0.0254,
  feet: 0.3048,
  meter: 1,
  micron: 1e-6,
});
const DEGREE = Math.PI / 180;

type Part = Surface & { readonly material: Material };

class Objects {
  readonly #document: ListedDocument;
  readonly #budget: Budget;
  readonly #objects: ReadonlyMap<string, XmlElement>;
  readonly #constellations: ReadonlyMap<string, XmlElement>;
  readonly #materials: ReadonlyMap<string, XmlElement>;

  constructor(document: ListedDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
    this.#objects = byId(document.root, 'object');
    this.#constellations = byId(document.root, 'constellation');
    this.#materials = byId(document.root, 'material');
  }

  /** What no constellation repeats: each constellation that stands by itself, and each object in none. */
  standing(): Instance[] {
    const unit = METRES[this.#document.root.attributes.unit ?? 'millimeter'] ?? 0.001;
    const all = [...this.#constellations.values()].flatMap((one) => childrenNamed(one, 'instance'));
    const repeated = new Set(all.map(({ attributes }) => attributes.objectid ?? ''));
    return [...this.#constellations.keys(), ...this.#objects.keys()]
      .filter((id) => !repeated.has(id))
      .flatMap((id) => this.#placed(id, scaling(unit, unit, unit), 0));
  }

  #placed(id: string, transform: Matrix4, depth: number): Instance[] {
    this.#budget.checkDepth(depth);
    const constellation = this.#constellations.get(id);
    if (constellation === undefined)
      return this.#partsOf(id).map((part) => {
        this.#budget.spend('nodes', 1);
        this.#budget.spend('triangles', part.geometry.indices.length / 3);
        this.#budget.spend('vertices', part.geometry.positions.length / 3);
        return { ...part, transform: multiply(transform, part.transform) };
      });
    return childrenNamed(constellation, 'instance').flatMap((instance) => {
      this.#budget.spend('nodes', 1);
      const inner = multiply(transform, placeOf(instance));
      return this.#placed(instance.attributes.objectid ?? '', inner, depth + 1);
    });
  }

  readonly #partsOf = memoised((id: string): readonly Part[] => {
    const object = this.#objects.get(id);
    return object === undefined
      ? []
      : childrenNamed(object, 'mesh').flatMap((mesh) => this.#read(mesh, object));
  });

  #read(mesh: XmlElement, object: XmlElement): Part[] {
    const vertices = childNamed(mesh, 'vertices');
    const rows = rowsIn(
      vertices === undefined ? '' : this.#document.textOf(vertices),
      'vertex',
      'xyz',
      (count) => this.#budget.check('vertices', count),
    );
    const { positions, transform } = fromFirst(rows);
    return childrenNamed(mesh, 'volume').flatMap((volume) => {
      const named = rowsIn(this.#document.textOf(volume), 'triangle', ['v1', 'v2', 'v3'], (count) =>
        this.#budget.check('triangles', count),
      );
      if (named.length === 0) return [];
      if (!named.every((vertex) => Number.isInteger(vertex) && vertex >= 0 && vertex * 3 < rows.length))
        throw new Unrenderable('the AMF file names a vertex that it does not have');
      const corners = gather(positions, named, 3);
      const geometry = withCreaseNormals(corners, sequentialIndices(named.length));
      const own = colorOf(this.#materials.get(volume.attributes.materialid ?? ''));
      return [{ geometry, transform, material: own ?? colorOf(object) ?? DEFAULT_MATERIAL }];
    });
  }
}

/** Turns about X, Y, then Z, in degrees, and then moves. */
function placeOf(instance: XmlElement): Matrix4 {
  const of = (name: string) => numberIn(instance, name);
  const moved = translation(of('deltax'), of('deltay'), of('deltaz'));
  const turns = [of('rx'), of('ry'), of('rz')].map((angle) => angle * DEGREE);
  const [roll = 0, pitch = 0, yaw = 0] = turns;
  return turns.every((angle) => angle === 0) ? moved : multiply(moved, rollPitchYaw(roll, pitch, yaw));
}

/**
 * The numbers of each row of a list, in the order of `names`; what is missing is not a number. `check` refuses too many
 * rows before there is memory for them.
 */
function rowsIn(
  text: string,
  row: string,
  names: Iterable<string>,
  check: (count: number) => void,
): Float64Array {
  const columns = new Map([...names].map((name, column) => [name, column]));
  const values: number[] = [];
  for (const [, name = '', number = ''] of text.matchAll(/<(\w+)\b[^<>]*>([^<]*)/g)) {
    if (name === row) {
      check(values.length / columns.size + 1);
      for (let column = 0; column < columns.size; column++) values.push(Number.NaN);
    }
    const column = columns.get(name);
    if (column !== undefined && values.length > 0)
      values[values.length - columns.size + column] = number.trim() === '' ? Number.NaN : Number(number);
  }
  return Float64Array.from(values);
}

/** The colour that an element states: sRGB, from 0 to 1; that of single vertices and triangles is not read. */
function colorOf(element: XmlElement | undefined): Material | undefined {
  const color = childNamed(element, 'color');
  if (color === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = ['r', 'g', 'b'].map((name) =>
    srgbToLinear(Math.min(1, Math.max(0, numberIn(color, name)))),
  );
  const alpha = childNamed(color, 'a') === undefined ? 1 : Math.min(1, Math.max(0, numberIn(color, 'a')));
  return {
    ...DEFAULT_MATERIAL,
    baseColor: [red, green, blue, alpha],
    ...(alpha < 1 && { alphaMode: 'blend' as const }),
  };
}
