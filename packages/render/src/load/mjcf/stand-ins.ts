import type { MjModel } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import type { Matrix4 } from '../../matrix.ts';
import { extension } from '../mesh.ts';

/**
 * Files for MuJoCo to compile in place of an asset's own. MuJoCo computes hull, inertia and a tree of boxes for every
 * mesh, and decodes every texture: this would take most of a thumbnail's time, and does not show in it. A tetrahedron
 * is enough to find out how the model transforms a mesh; this package reads the file itself, if it is visible at all.
 */
export class StandIns {
  /** The files that can have a stand-in, by the last segment of their paths. */
  readonly #originals: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  #isSkySmall = false;
  #refuseMeshes = false;

  constructor(paths: Iterable<string>) {
    const byName = Map.groupBy(paths, lastPart);
    // A compiled model only contains the end of a path, so names must be unique.
    this.#originals = new Map(
      [...byName].flatMap(([name, [path, other]]) => (path && !other ? [[name, path]] : [])),
    );
  }

  /** Gives meshes no stand-ins from now on. */
  refuseMeshes(): void {
    this.#refuseMeshes = true;
  }

  /** The stand-in for a file; undefined if MuJoCo must get the file itself. */
  bytesFor(path: string): Uint8Array | undefined {
    const kind = extension(path);
    const bytes = BYTES[kind];
    if (bytes === undefined || (this.#refuseMeshes && kind !== 'png')) return undefined;
    if (this.#originals.get(lastPart(path)) !== path) return undefined;
    this.#used.add(lastPart(path));
    return bytes;
  }

  /** An XML file with its generated sky, which is never visible, at the smallest size; undefined if it has none. */
  withSmallSky(xml: string): string | undefined {
    const small = xml.replace(/<texture\b[^<>]*>/g, (tag) =>
      /\btype\s*=\s*["']skybox["']/.test(tag) && !/\bfile/.test(tag)
        ? tag.replace(/\bwidth\s*=\s*"\d+"/, 'width="1"').replace(/\bheight\s*=\s*"\d+"/, 'height="6"')
        : tag,
    );
    if (small === xml) return undefined;
    this.#isSkySmall = true;
    return small;
  }

  /** Whether MuJoCo was given anything but the asset's own files. */
  get areUsed(): boolean {
    return this.#used.size > 0 || this.#isSkySmall;
  }

  /** The original of the stand-in whose path a model has at `address` (−1: no path); undefined for other files. */
  original(model: MjModel, address: number): string | undefined {
    if (address < 0) return undefined;
    const name = lastPart(textAt(model.paths as Int8Array, address));
    return this.#used.has(name) ? this.#originals.get(name) : undefined;
  }
}

/** A model depends on more of a file than its stand-in provides. */
export class OriginalFilesNeeded extends Unrenderable {
  constructor() {
    super('needs its files as they are');
  }
}

/** From the coordinates of a mesh's file to those of the compiled mesh, measured at the stand-in's corners. */
export function compiledMeshTransform(model: MjModel, mesh: number): Matrix4 {
  const start = (model.mesh_vertadr as Int32Array)[mesh] as number;
  if ((model.mesh_vertnum as Int32Array)[mesh] !== CORNERS.length) throw new OriginalFilesNeeded();
  const v = (model.mesh_vert as Float32Array).slice(start * 3, (start + CORNERS.length) * 3);
  const origin = [v[0] as number, v[1] as number, v[2] as number] as const;
  const axis = (corner: number) =>
    origin.map((value, k) => (v[corner * 3 + k] as number) - value) as [number, number, number];
  return [...axis(2), 0, ...axis(1), 0, ...axis(3), 0, ...origin, 1];
}

/** Whether a compiled texture has the pixels of its stand-in in their original order. */
export function keepsPixelOrder(pixels: Uint8Array, channels: number): boolean {
  return (
    pixels.length === 4 * channels &&
    PIXELS.every((pixel, index) => pixel.every((value, k) => pixels[index * channels + k] === value))
  );
}

export function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function textAt(characters: Int8Array, start: number): string {
  const end = characters.indexOf(0, start);
  return new TextDecoder('utf-8').decode(Uint8Array.from(characters.subarray(start, end)));
}

/** The origin and the unit points on Y, X and Z, in the order in which the faces first use them. */
const CORNERS = [
  [0, 0, 0],
  [0, 1, 0],
  [1, 0, 0],
  [0, 0, 1],
] as const;
/** Counter-clockwise from outside. */
const FACES = [
  [0, 1, 2],
  [0, 3, 1],
  [0, 2, 3],
  [1, 3, 2],
] as const;
/** Red, green and blue of a picture of 2 × 2 pixels. */
const PIXELS = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

const BYTES: Readonly<Record<string, Uint8Array>> = {
  stl: tetrahedronStl(),
  obj: tetrahedronObj(),
  png: Uint8Array.from(
    atob(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWNgYGD4zwAl/gMAD/4C/j/HJRQAAAAASUVORK5CYII=',
    ),
    (character) => character.charCodeAt(0),
  ),
};

function tetrahedronStl(): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(84 + FACES.length * 50));
  bytes.setUint32(80, FACES.length, true);
  for (const [face, corners] of FACES.entries()) {
    const values = corners.flatMap((corner) => CORNERS[corner] ?? []);
    for (const [k, value] of values.entries()) bytes.setFloat32(84 + face * 50 + 12 + k * 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** With texture coordinates, because a model may require them. */
function tetrahedronObj(): Uint8Array {
  const corners = CORNERS.map((corner) => `v ${corner.join(' ')}\nvt ${corner[0]} ${corner[1]}\n`);
  const faces = FACES.map((face) => `f ${face.map((corner) => `${corner + 1}/${corner + 1}`).join(' ')}\n`);
  return new TextEncoder().encode([...corners, ...faces].join(''));
}
