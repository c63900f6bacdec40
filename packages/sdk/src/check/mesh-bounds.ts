import { extensionOf, STL_FACET_BYTES, STL_HEADER_BYTES, stlLayout } from '@bindery/formats';

const STL_FIRST_VERTEX = 12;
const VERTEX = /^[ \t]*(?:v|vertex)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)/gm;

/** Returns the sides of a mesh's bounding box in its own unit; null if it is empty, or neither STL nor OBJ. */
export function meshBounds(path: string, bytes: Uint8Array): readonly [number, number, number] | null {
  const box = new Box();
  const format = extensionOf(path);
  const layout = stlLayout(bytes, bytes.byteLength);
  if (format === 'stl' && layout.binary) addFaces(box, bytes, layout.facets);
  else if (format === 'stl' || format === 'obj') addLines(box, bytes);
  return box.sides();
}

function addFaces(box: Box, bytes: Uint8Array, announced: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const faces = Math.min(announced, Math.floor((bytes.byteLength - STL_HEADER_BYTES) / STL_FACET_BYTES));
  for (let face = 0; face < faces; face++) {
    for (let corner = 0; corner < 3; corner++) {
      const at = STL_HEADER_BYTES + face * STL_FACET_BYTES + STL_FIRST_VERTEX * (corner + 1);
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
