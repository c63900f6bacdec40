import type { MjModel } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import type { Matrix4 } from '../../matrix.ts';
import { extension } from '../mesh.ts';

/**
 * Files for MuJoCo to compile in place of an asset's own. For every mesh MuJoCo finds hull, inertia and a tree of boxes,
 * and unpacks every texture: most of the time of a thumbnail, and nothing of it is seen. A tetrahedron shows as well how
 * the model lays a mesh out, and the file itself is read by this package, if it is seen at all.
 */
export class StandIns {
  /** The files that may be stood in for, by the last part of their paths. */
  readonly #originals: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  #isSkySmall = false;
  #refuseMeshes = false;

  constructor(paths: Iterable<string>) {
    const byName = Map.groupBy(paths, lastPart);
    // A compiled model tells no more of a path than its end.
    this.#originals = new Map(
      [...byName].flatMap(([name, [path, other]]) => (path && !other ? [[name, path]] : [])),
    );
  }

  /** Has meshes compiled as they are from now on. */
  refuseMeshes(): void {
    this.#refuseMeshes = true;
  }

  /** What to give MuJoCo for a file; undefined for the file itself. */
  bytesFor(path: string): Uint8Array | undefined {
    const kind = extension(path);
    const bytes = BYTES[kind];
    if (bytes === undefined || (this.#refuseMeshes && kind !== 'png')) return undefined;
    if (this.#originals.get(lastPart(path)) !== path) return undefined;
    this.#used.add(lastPart(path));
    return bytes;
  }

  /** An XML file with no pixels to paint for the sky, which is not seen; undefined where it paints none. */
  withSmallSky(xml: string): Uint8Array | undefined {
    const small = xml.replace(/<texture\b[^<>]*>/g, (tag) =>
      /\btype\s*=\s*["']skybox["']/.test(tag) && !/\bfile/.test(tag)
        ? tag.replace(/\bwidth\s*=\s*"\d+"/, 'width="1"').replace(/\bheight\s*=\s*"\d+"/, 'height="6"')
        : tag,
    );
    if (small === xml) return undefined;
    this.#isSkySmall = true;
    return new TextEncoder().encode(small);
  }

  /** Whether MuJoCo was given anything but the asset's own files. */
  get areUsed(): boolean {
    return this.#used.size > 0 || this.#isSkySmall;
  }

  /** The asset's file that was stood in for where a model names a path at an address, −1 for none. */
  original(model: MjModel, address: number): string | undefined {
    if (address < 0) return undefined;
    const name = lastPart(textAt(model.paths as Int8Array, address));
    return this.#used.has(name) ? this.#originals.get(name) : undefined;
  }
}

/** A model shows more of a file than its stand-in tells. */
export class NotStoodIn extends Unrenderable {
  constructor() {
    super('needs its files as they are');
  }
}

/** From the coordinates of a mesh's file to those of the compiled mesh, from where the stand-in's corners went. */
export function layoutOf(model: MjModel, mesh: number): Matrix4 {
  const start = (model.mesh_vertadr as Int32Array)[mesh] as number;
  if ((model.mesh_vertnum as Int32Array)[mesh] !== CORNERS.length) throw new NotStoodIn();
  const v = (model.mesh_vert as Float32Array).slice(start * 3, (start + CORNERS.length) * 3);
  const origin = [v[0] as number, v[1] as number, v[2] as number] as const;
  const axis = (corner: number) =>
    origin.map((value, k) => (v[corner * 3 + k] as number) - value) as [number, number, number];
  return [...axis(2), 0, ...axis(1), 0, ...axis(3), 0, ...origin, 1];
}

/** Whether a compiled texture has the pixels of its stand-in in their order. */
export function isLaidPlainly(pixels: Uint8Array, channels: number): boolean {
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

/** The origin and the ends of Y, X and Z, in the order in which the first faces name them. */
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
/** The red, green and blue of a picture of two by two. */
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

/** With texture coordinates, for a model may ask for them. */
function tetrahedronObj(): Uint8Array {
  const corners = CORNERS.map((corner) => `v ${corner.join(' ')}\nvt ${corner[0]} ${corner[1]}\n`);
  const faces = FACES.map((face) => `f ${face.map((corner) => `${corner + 1}/${corner + 1}`).join(' ')}\n`);
  return new TextEncoder().encode([...corners, ...faces].join(''));
}
