import { decodeText } from '../files/text.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import type { Matrix4 } from '../model/matrix.ts';
import { triangulate } from '../model/polygon.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';

/** The statements of a Wavefront OBJ file that a picture needs. */
export interface Obj {
  readonly positions: Float32Array;
  /** From the positions to those in the file, which can be far from zero. */
  readonly transform: Matrix4;
  /** r, g, b per position, linear; only if all vertices have colours. */
  readonly colors: Float32Array | undefined;
  /** u, v with v running down. */
  readonly uvs: Float32Array;
  readonly normals: Float32Array;
  readonly groups: readonly ObjGroup[];
  readonly libraries: readonly string[];
}

/** The triangles of one material and, if objects are told apart, of one object. */
interface ObjGroup {
  readonly material: string;
  readonly object: string;
  readonly corners: ObjCorners;
}

/** Corners of triangles: indices of a position, a texture coordinate and a normal, −1 for none. */
export type ObjCorners = readonly number[];

/** @throws Unrenderable when a face names a vertex that does not exist. */
export function parseObj(bytes: Uint8Array, budget: Budget, byObject = false): Obj {
  const reader = new ObjReader(decodeText(bytes), budget, byObject);
  reader.read();
  const { positions, colors, uvs, normals, groups, libraries } = reader;
  return {
    ...fromFirst(positions),
    colors:
      colors.length > 0 && colors.length === positions.length
        ? Float32Array.from(colors, (value) => srgbToLinear(Math.min(1, Math.max(0, value))))
        : undefined,
    uvs: Float32Array.from(uvs),
    normals: Float32Array.from(normals),
    groups,
    libraries,
  };
}

const NEWLINE = 10;
const BACKSLASH = 92;
const SLASH = 47;

class ObjReader {
  readonly positions: number[] = [];
  readonly colors: number[] = [];
  readonly uvs: number[] = [];
  readonly normals: number[] = [];
  readonly #groups = new Map<string, ObjGroup & { corners: number[] }>();
  readonly libraries: string[] = [];
  readonly #text: string;
  readonly #budget: Budget;
  readonly #byObject: boolean;
  /** Where to look for the next word; the last one found is `#text.slice(#start, #end)`. */
  #at = 0;
  #start = 0;
  #end = 0;
  #corners: number[] | undefined;
  #material = '';
  #object = '';
  readonly #face: number[] = [];

  constructor(text: string, budget: Budget, byObject: boolean) {
    this.#text = text;
    this.#budget = budget;
    this.#byObject = byObject;
  }

  read(): void {
    while (this.#at < this.#text.length) {
      if (this.#nextWord()) this.#statement(this.#text.slice(this.#start, this.#end));
      this.#skipLine();
    }
  }

  #statement(keyword: string): void {
    switch (keyword) {
      case 'v':
        this.#budget.spend('vertices', 1);
        this.positions.push(this.#coordinate(), this.#coordinate(), this.#coordinate());
        this.#color();
        break;
      case 'vt':
        this.uvs.push(this.#number(), 1 - this.#number());
        break;
      case 'vn':
        this.normals.push(this.#number(), this.#number(), this.#number());
        break;
      case 'f':
        this.#addFace();
        break;
      case 'usemtl':
        this.#material = this.#rest();
        this.#corners = undefined;
        break;
      case 'o':
      case 'g':
        if (!this.#byObject) break;
        this.#object = this.#rest();
        this.#corners = undefined;
        break;
      case 'mtllib':
        if (this.libraries.length < 32) this.libraries.push(this.#rest());
        break;
    }
  }

  /** The colour after a position; a single number there is a weight. */
  #color(): void {
    const red = this.#number();
    if (!this.#nextWord()) return;
    const green = toNumber(this.#text, this.#start, this.#end) || 0;
    if (!this.#nextWord()) return;
    this.colors.push(red, green, toNumber(this.#text, this.#start, this.#end) || 0);
  }

  #addFace(): void {
    this.#corners ??= this.#cornersOfGroup();
    const face = this.#face;
    face.length = 0;
    while (this.#nextWord()) this.#readCorner(face);
    this.#budget.spend('triangles', Math.max(0, face.length / 3 - 2));
    const corners = this.#corners;
    triangulate(
      face.length / 3,
      (corner, axis) => this.positions[(face[corner * 3] as number) * 3 + axis] as number,
      (...triangle) => {
        for (const corner of triangle)
          for (let k = corner * 3; k < corner * 3 + 3; k++) corners.push(face[k] as number);
      },
    );
  }

  #cornersOfGroup(): number[] {
    const key = `${this.#object}\n${this.#material}`;
    const group = this.#groups.get(key) ?? { material: this.#material, object: this.#object, corners: [] };
    this.#groups.set(key, group);
    return group.corners;
  }

  get groups(): ObjGroup[] {
    return [...this.#groups.values()];
  }

  /** Reads the indices of a word like `3/1/2`, `3//2` or `-1`. */
  #readCorner(face: number[]): void {
    const position = this.#element(this.#start, this.positions.length / 3);
    if (position < 0) throw new Unrenderable('a face of the OBJ file names a vertex that does not exist');
    const uvStart = this.#afterSlash(this.#start);
    const uv = this.#element(uvStart, this.uvs.length / 2);
    face.push(position, uv, this.#element(this.#afterSlash(uvStart), this.normals.length / 3));
  }

  #afterSlash(from: number): number {
    let at = from;
    while (at < this.#end && this.#text.charCodeAt(at) !== SLASH) at++;
    return Math.min(at + 1, this.#end);
  }

  /** The index of an element whose number starts at `from`: from 1 up, or negative from the end; −1 for none. */
  #element(from: number, count: number): number {
    let at = from;
    const isNegative = this.#text.charCodeAt(at) === 45;
    if (isNegative) at++;
    let value = 0;
    for (; at < this.#end; at++) {
      const digit = this.#text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const index = isNegative ? count - value : value - 1;
    return index >= 0 && index < count ? index : -1;
  }

  /** The next word of the line as a number, 0 for anything else. */
  #number(): number {
    return this.#coordinate() || 0;
  }

  /** The next word as a number, NaN for anything else, and 0 if there is none. */
  #coordinate(): number {
    return this.#nextWord() ? toNumber(this.#text, this.#start, this.#end) : 0;
  }

  /** Advances to the next word of the line; a backslash at the end of a line continues it. */
  #nextWord(): boolean {
    const text = this.#text;
    let at = this.#at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code > 32 && code !== BACKSLASH) {
        const start = at;
        while (at < text.length && text.charCodeAt(at) > 32 && text.charCodeAt(at) !== BACKSLASH) at++;
        this.#start = start;
        this.#end = at;
        this.#at = at;
        return true;
      }
      if (code === BACKSLASH) {
        const newline = text.charCodeAt(at + 1) === 13 ? at + 2 : at + 1;
        if (text.charCodeAt(newline) === NEWLINE) at = newline;
      }
    }
    this.#at = at;
    return false;
  }

  /** The text after the keyword, up to the end of the line. */
  #rest(): string {
    const newline = this.#text.indexOf('\n', this.#end);
    return this.#text.slice(this.#end, newline < 0 ? undefined : newline).trim();
  }

  #skipLine(): void {
    const newline = this.#text.indexOf('\n', this.#at);
    this.#at = newline < 0 ? this.#text.length : newline + 1;
  }
}

const POWERS_OF_TEN = Array.from({ length: 23 }, (_, power) => 10 ** power);

/** Like `Number`, but NaN for what is not finite. Up to 15 digits and 22 places are exact in one division, which is faster. */
function toNumber(text: string, start: number, end: number): number {
  let at = start;
  const isNegative = text.charCodeAt(at) === 45;
  if (isNegative) at++;
  let value = 0;
  let digits = 0;
  let places = -1;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 46 && places < 0) places = 0;
    else if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48;
      digits++;
      if (places >= 0) places++;
    } else break;
  }
  if (at === end && digits > 0 && digits <= 15) {
    const exact = places > 0 ? value / (POWERS_OF_TEN[places] as number) : value;
    return isNegative ? -exact : exact;
  }
  const number = Number(text.slice(start, end));
  return Number.isFinite(number) ? number : Number.NaN;
}
