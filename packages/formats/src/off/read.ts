import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import { gather, withCreaseNormals } from '../model/normals.ts';
import { triangulate } from '../model/polygon.ts';
import { type Instance, plainMaterial } from '../model/scene.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { type OffHeader, parseOffHeader } from './header.ts';

export const reader: FormatReader = {
  async readMesh(path, { files, budget }) {
    const instance = loadOff(asPlainText(await files.read(path)), budget);
    const hasMaterials = instance.geometry.colors !== undefined;
    return { instances: [instance], points: [], isYUp: false, hasMaterials };
  },
};

/** Loads the polygons of an OFF file, with colours of its vertices or of its faces. */
function loadOff(bytes: Uint8Array, budget: Budget): Instance {
  const header = readable(() => parseOffHeader(bytes));
  if (header.vertices < 0 || header.faces < 0 || header.vertices + header.faces > bytes.byteLength)
    throw new Unrenderable(ENDS_EARLY);
  budget.spend('vertices', header.vertices);
  budget.spend('triangles', header.faces);
  const source = header.isBinary ? new BinaryWords(bytes, header) : new TextWords(bytes, header);
  const { places, colors } = readVertices(source, header);
  const faces = readFaces(source, header, places, budget);
  if (faces.corners.length === 0) throw new Unrenderable('the OFF file has no faces');
  const { positions, transform } = fromFirst(places);
  const corners = Uint32Array.from(faces.corners);
  const painted = faces.isColored
    ? { positions: gather(positions, corners, 3), colors: Float32Array.from(faces.colors) }
    : undefined;
  const geometry = painted
    ? withCreaseNormals(
        painted.positions,
        corners.map((_, at) => at),
        { colors: painted.colors },
      )
    : withCreaseNormals(positions, corners, { colors });
  return { geometry, material: plainMaterial(geometry), transform };
}

const ENDS_EARLY = 'the OFF file ends before its faces';

function readVertices(source: Words, { vertices, hasNormals, hasColors, hasUvs }: OffHeader) {
  const places = new Float64Array(vertices * 3);
  const colors = hasColors ? new Float32Array(vertices * 4) : undefined;
  const behind = (hasNormals ? 3 : 0) + (hasColors ? 4 : 0) + (hasUvs ? 2 : 0);
  for (let vertex = 0; vertex < vertices; vertex++) {
    const row = source.row(3 + behind);
    places.set(row.slice(0, 3), vertex * 3);
    colors?.set(colorOf(row.slice(hasNormals ? 6 : 3, hasNormals ? 10 : 7)), vertex * 4);
  }
  return { places, colors };
}

interface Faces {
  readonly corners: number[];
  /** r, g, b, a per corner. */
  readonly colors: number[];
  readonly isColored: boolean;
}

function readFaces(
  source: Words,
  { faces, vertices }: OffHeader,
  places: Float64Array,
  budget: Budget,
): Faces {
  const corners: number[] = [];
  const colors: number[] = [];
  let isColored = false;
  for (let face = 0; face < faces; face++) {
    const { loop, color } = source.face();
    if (loop.some((vertex) => !(vertex >= 0 && vertex < vertices))) continue;
    budget.spend('triangles', Math.max(0, loop.length - 3));
    isColored ||= color.length >= 3;
    const painted = colorOf(color);
    triangulate(
      loop.length,
      (corner, axis) => places[(loop[corner] as number) * 3 + axis] as number,
      (...triangle) => {
        for (const corner of triangle) {
          corners.push(loop[corner] as number);
          colors.push(...painted);
        }
      },
    );
  }
  return { corners, colors, isColored };
}

const GREY = [0.35, 0.35, 0.38, 1] as const;

/** Numbers up to 1, or whole ones up to 255. */
function colorOf(numbers: readonly number[]): readonly [number, number, number, number] {
  if (numbers.length < 3) return GREY;
  const scale = numbers.some((number) => number > 1) ? 1 / 255 : 1;
  const [red = 0, green = 0, blue = 0, alpha = 1 / scale] = numbers;
  const linear = (value: number) => srgbToLinear(Math.min(1, Math.max(0, value * scale || 0)));
  return [linear(red), linear(green), linear(blue), Math.min(1, Math.max(0, alpha * scale || 0))];
}

interface Words {
  row(length: number): number[];
  face(): { loop: number[]; color: number[] };
}

class TextWords implements Words {
  readonly #lines: Iterator<RegExpExecArray>;

  constructor(bytes: Uint8Array, { bodyStart }: OffHeader) {
    const body = new TextDecoder('latin1').decode(bytes.subarray(bodyStart));
    this.#lines = body.matchAll(/^[ \t]*([^\s#][^\n#]*)/gm);
  }

  row(_length: number): number[] {
    const { value, done } = this.#lines.next();
    if (done) throw new Unrenderable(ENDS_EARLY);
    return (value[1] as string)
      .trim()
      .split(/\s+/, 64 * 1024)
      .map(Number);
  }

  face(): { loop: number[]; color: number[] } {
    const [count = 0, ...rest] = this.row(0);
    if (rest.length < count) throw new Unrenderable(ENDS_EARLY);
    return { loop: rest.slice(0, count), color: rest.slice(count) };
  }
}

class BinaryWords implements Words {
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, { bodyStart }: OffHeader) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = bodyStart;
  }

  row(length: number): number[] {
    return this.#take(length, (at) => this.#view.getFloat32(at));
  }

  face(): { loop: number[]; color: number[] } {
    const integers = (length: number) => this.#take(length, (at) => this.#view.getInt32(at));
    const loop = integers(integers(1)[0] ?? 0);
    return { loop, color: this.row(integers(1)[0] ?? 0) };
  }

  #take(length: number, read: (at: number) => number): number[] {
    const start = this.#at;
    if (!(length >= 0) || start + length * 4 > this.#view.byteLength) throw new Unrenderable(ENDS_EARLY);
    this.#at += length * 4;
    return Array.from({ length }, (_, k) => read(start + k * 4));
  }
}
