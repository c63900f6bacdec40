import { extensionOf } from '@bindery/formats';

const STL_HEADER = 84;
const STL_FACE = 50;
const STL_FIRST_VERTEX = 12;
const VERTEX = /^[ \t]*(?:v|vertex)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)/gm;

/** Returns the sides of a mesh's bounding box in its own unit; null if it is empty, or neither STL nor OBJ. */
export function meshBounds(path: string, bytes: Uint8Array): readonly [number, number, number] | null {
  const box = new Box();
  const format = extensionOf(path);
  if (format === 'stl' && isBinary(bytes)) addFaces(box, bytes);
  else if (format === 'stl' || format === 'obj') addLines(box, bytes);
  return box.sides();
}

function isBinary(bytes: Uint8Array): boolean {
  if (bytes.byteLength < STL_HEADER) return false;
  const faces = new DataView(bytes.buffer, bytes.byteOffset).getUint32(STL_HEADER - 4, true);
  return bytes.byteLength >= STL_HEADER + faces * STL_FACE && faces > 0;
}

function addFaces(box: Box, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const faces = view.getUint32(STL_HEADER - 4, true);
  for (let face = 0; face < faces; face++) {
    for (let corner = 0; corner < 3; corner++) {
      const at = STL_HEADER + face * STL_FACE + STL_FIRST_VERTEX * (corner + 1);
      box.add(view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true));
    }
  }
}

function addLines(box: Box, bytes: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(bytes);
  for (const [, x, y, z] of text.matchAll(VERTEX)) box.add(Number(x), Number(y), Number(z));
}

class Box {
  readonly #min = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  readonly #max = new Float64Array(3).fill(Number.NEGATIVE_INFINITY);

  add(x: number, y: number, z: number): void {
    this.#stretch(0, x);
    this.#stretch(1, y);
    this.#stretch(2, z);
  }

  /** Ignores NaN, which compares as neither less nor greater. */
  #stretch(axis: number, value: number): void {
    if (value < (this.#min[axis] ?? 0)) this.#min[axis] = value;
    if (value > (this.#max[axis] ?? 0)) this.#max[axis] = value;
  }

  sides(): [number, number, number] | null {
    const [x = -1, y = -1, z = -1] = this.#max.map((max, axis) => max - (this.#min[axis] ?? max));
    return Number.isFinite(x + y + z) ? [x, y, z] : null;
  }
}
