import {
  extensionOf,
  FileIndex,
  resolveReference,
  STL_FACET_BYTES,
  STL_HEADER_BYTES,
  scanXml,
  stlLayout,
} from '@bindery/formats';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { ListedFile } from '../discovery/file-reader.ts';

/** Metres. No part of a robot is beyond these bounds: such a mesh is in millimetres, or scaled twice. */
const [MAX_SIDE, MIN_SIDE] = [100, 0.0001];
/** Formats of CAD, printing and other programs, in which some robots name their meshes. */
const UNDRAWN = /\.(?:ste?p|ige?s|3ds|blend|x3d|amf|sldprt|ipt|f3d|stpz)$/i;
const MAX_MESH_BYTES = 64 * 1024 * 1024;

interface PlacedMesh {
  text: string;
  line: number;
  scale: readonly number[];
}

/**
 * Finds meshes of a URDF or SDFormat robot that are, after scaling, larger than a hall or smaller than a hair, and those
 * in formats that nothing here draws.
 */
export function checkMeshScale(
  asset: { id: string; files: readonly ListedFile[] },
  file: string,
  bytes: Uint8Array,
  read: (path: string) => Uint8Array,
): Problem[] {
  const library = new FileIndex(asset.files.map(({ path }) => path));
  const sizes = new Map(asset.files.map(({ path, size }) => [path, size]));
  const known = new Map<string, ReturnType<typeof meshBounds>>();
  const boundsOf = (path: string) => {
    if (!known.has(path)) known.set(path, meshBounds(path, read(path)));
    return known.get(path) ?? null;
  };
  return meshesIn(bytes).flatMap(({ text, line, scale }) => {
    if (UNDRAWN.test(text)) {
      const words = `${text} is in a format that no viewer opens: also export STL, OBJ, COLLADA or glTF`;
      return [problem('mesh-without-viewer', asset.id, words, { file, line })];
    }
    const found = resolveReference(library, file, text);
    if (!('path' in found) || (sizes.get(found.path) ?? 0) > MAX_MESH_BYTES) return [];
    const side = largestSide(boundsOf(found.path), scale);
    return side === null ? [] : scaleProblem(asset.id, text, side, { file, line });
  });
}

/** Returns the problem of a mesh whose longest side is `side` metres; none if that is plausible. */
export function scaleProblem(
  asset: string,
  mesh: string,
  side: number,
  place: { file: string; line?: number },
): Problem[] {
  if (side <= MAX_SIDE && side >= MIN_SIDE) return [];
  const words = `${mesh} is ${side.toPrecision(3)} m long; a scale of ${side > MAX_SIDE ? '0.001' : '1000'} is missing, or one too many`;
  return [problem('mesh-scale', asset, words, place)];
}

function largestSide(sides: readonly number[] | null, scale: readonly number[]): number | null {
  if (sides === null) return null;
  const largest = Math.max(...sides.map((side, axis) => side * Math.abs(scale[axis] ?? 1)));
  return largest > 0 ? largest : null;
}

/** Reads the scale from attributes (URDF) or from elements next to the address (SDFormat). */
function meshesIn(bytes: Uint8Array): PlacedMesh[] {
  const meshes: PlacedMesh[] = [];
  scanXml(bytes, {
    open({ name, attributes, line }) {
      if (name !== 'mesh') return;
      meshes.push({ text: attributes.filename ?? '', line, scale: numbers(attributes.scale) });
    },
    text(text, around) {
      const mesh = meshes.at(-1);
      if (mesh === undefined || around.at(-2)?.name !== 'mesh') return;
      if (around.at(-1)?.name === 'uri') mesh.text = text;
      if (around.at(-1)?.name === 'scale') mesh.scale = numbers(text);
    },
  });
  return meshes.filter(({ text }) => text !== '');
}

function numbers(text: string | undefined): number[] {
  const found = (text ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
  return found.length === 1 ? [found[0] ?? 1, found[0] ?? 1, found[0] ?? 1] : found;
}

const STL_FIRST_VERTEX = 12;
const VERTEX = /^[ \t]*(?:v|vertex)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)/gm;

/** Returns the sides of a mesh's bounding box in its own unit; null if it is empty, or neither STL nor OBJ. */
function meshBounds(path: string, bytes: Uint8Array): readonly [number, number, number] | null {
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
