import { type Matrix4, transformPoints } from '@bindery/formats/model/matrix';
import type { Form, Mechanism, Shape } from '@bindery/formats/model/mechanism';
import { surfaceOf } from '@bindery/formats/model/primitives';
import type { Geometry, Texture } from '@bindery/formats/model/scene';

/** The corners of triangles. */
type Surface = Pick<Geometry, 'positions' | 'indices'>;

/** Shapes of one body and kind, by what no way of cutting meshes into parts changes, in the frame of the body. */
interface Shapes {
  /** 0 for meshes, which some formats cut by their materials. */
  count: number;
  /** Of meshes. */
  triangles: number;
  /** How far they extend to both sides along `DIRECTIONS`, in metres. */
  readonly reach: number[];
  /** The area of their surfaces in square metres, its first moments, and what they enclose, negative if they face inwards. */
  readonly area: [whole: number, x: number, y: number, z: number, volume: number];
  /** Coefficients of sliding friction that formats say. */
  readonly friction: Set<number>;
  /** Of their base colours. */
  readonly pictures: Quarters[];
}

/** The mean colours of a picture's quarters, which hardly depend on the size that it is stored in. */
type Quarters = readonly number[];

/** What bodies collide with, or what is seen of them: by the body's name and the kind of form. */
export type ShapesByBody = ReadonlyMap<string, Shapes>;

const DIRECTIONS = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 0],
  [1, -1, 0],
  [1, 0, 1],
  [1, 0, -1],
  [0, 1, 1],
  [0, 1, -1],
] as const;

/** A point of a plane, and one above it. */
const PLANE: Surface = {
  positions: Float32Array.from([0, 0, 0, 0, 0, 1]),
  indices: new Uint32Array(),
};

/** What else is compared of a shape. */
export interface Look {
  readonly friction?: number | undefined;
  readonly picture?: Texture['levels'] | undefined;
  /** Then the opacity of its picture means nothing. */
  readonly isOpaque?: boolean | undefined;
}

/** Gathers the shapes of a model that are for one purpose. */
export class ShapeList {
  readonly byBody = new Map<string, Shapes>();
  readonly #quarters = new Map<Texture['levels'], Quarters>();

  /** `pose` leads from the frame of `surface` to that of the body. */
  add(
    body: string,
    pose: Matrix4,
    type: Form['type'],
    surface: Surface,
    { friction, picture, isOpaque = false }: Look,
  ): void {
    if (surface.positions.length === 0) return;
    // USD has no ellipsoids but meshes.
    const isMesh = type === 'mesh' || type === 'ellipsoid';
    const key = `${body}: ${isMesh ? 'mesh' : type}`;
    const shapes = this.byBody.get(key) ?? {
      count: 0,
      triangles: 0,
      reach: DIRECTIONS.flatMap(() => [-Infinity, -Infinity]),
      area: [0, 0, 0, 0, 0],
      friction: new Set<number>(),
      pictures: [],
    };
    this.byBody.set(key, shapes);
    if (isMesh) shapes.triangles += surface.indices.length / 3;
    else shapes.count++;
    if (friction !== undefined) shapes.friction.add(friction);
    if (picture !== undefined) {
      const quarters = this.#quartersOf(picture);
      shapes.pictures.push(quarters.map((value, at) => (isOpaque && at % 4 === 3 ? 255 : value)));
    }
    const positions = transformPoints(pose, surface.positions);
    extend(shapes.reach, positions);
    addArea(shapes.area, positions, surface.indices);
  }

  #quartersOf(levels: Texture['levels']): Quarters {
    const quarters = this.#quarters.get(levels) ?? quartersOf(levels);
    this.#quarters.set(levels, quarters);
    return quarters;
  }
}

/** The surface of a form that is no mesh. */
export function surfaceOfForm(form: Exclude<Form, { type: 'mesh' }>): Surface {
  return form.type === 'plane' ? PLANE : surfaceOf(form);
}

export function shapesOf({ bodies }: Mechanism, role: Shape['role']): ShapesByBody {
  const list = new ShapeList();
  for (const { name, shapes } of bodies) {
    for (const shape of shapes) {
      const { pose, form, friction } = shape;
      if (shape.role !== role) continue;
      const lookOf = (material = shape.material) => ({
        friction,
        picture: material?.baseColorTexture?.levels,
        isOpaque: material?.alphaMode === 'opaque',
      });
      if (form.type !== 'mesh') list.add(name, pose, form.type, surfaceOfForm(form), lookOf());
      else
        for (const { geometry, material } of form.parts)
          list.add(name, pose, 'mesh', geometry, lookOf(material));
    }
  }
  return list.byBody;
}

/** How far shapes are from what they became: more than any bound if some have no counterpart. */
export function shapesApart(source: ShapesByBody, result: ShapesByBody): number {
  let apart = 0;
  for (const key of new Set([...source.keys(), ...result.keys()])) {
    const [one, other] = [source.get(key), result.get(key)];
    if (one === undefined || other === undefined || one.count !== other.count) return Infinity;
    if (!rubsAlike(one, other)) return Infinity;
    const size = Math.max(1, ...one.reach.map(Math.abs));
    const differences = [
      ...one.reach.map((reach, at) => (reach - (other.reach[at] ?? 0)) / size),
      ...one.area.map((area, at) => (area - (other.area[at] ?? 0)) / size ** (at === 0 ? 2 : 3)),
    ];
    apart = Math.max(apart, ...differences.map(Math.abs));
  }
  return apart;
}

/** The bodies that lack a picture of their source, or have another one. */
export function bodiesWithoutPictures(source: ShapesByBody, result: ShapesByBody): string[] {
  const bodies = [...source].flatMap(([key, { pictures }]) => {
    const others = result.get(key)?.pictures ?? [];
    const isThere = (picture: Quarters) => others.some((other) => looksAlike(picture, other));
    return pictures.every(isThere) ? [] : [key.slice(0, key.lastIndexOf(':'))];
  });
  return [...new Set(bodies)];
}

/** Of 255: what compression and another size make of a mean colour at most. */
const NUANCE = 6;

function looksAlike(one: Quarters, other: Quarters): boolean {
  return one.every((value, at) => Math.abs(value - (other[at] as number)) <= NUANCE);
}

function quartersOf(levels: Texture['levels']): Quarters {
  const level = levels.findLast(({ width, height }) => Math.min(width, height) >= 8) ?? levels[0];
  if (level === undefined) return [];
  const { width, height, data } = level;
  const sums = new Float64Array(16);
  const counts = new Float64Array(4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const quarter = (2 * y < height ? 0 : 2) + (2 * x < width ? 0 : 1);
      counts[quarter] = (counts[quarter] as number) + 1;
      for (let k = 0; k < 4; k++)
        sums[quarter * 4 + k] = (sums[quarter * 4 + k] as number) + (data[(y * width + x) * 4 + k] as number);
    }
  return Array.from(sums, (sum, at) => sum / ((counts[at >> 2] as number) || 1));
}

/** Whether the result has the friction that its source says; not all formats have some. */
function rubsAlike(source: Shapes, { friction }: Shapes): boolean {
  const isThere = (value: number) => [...friction].some((one) => Math.abs(one - value) <= 1e-6 * (1 + value));
  return friction.size === 0 || [...source.friction].every(isThere);
}

function extend(reach: number[], positions: Float32Array): void {
  for (let index = 0; index < DIRECTIONS.length; index++) {
    const [a, b, c] = DIRECTIONS[index] as (typeof DIRECTIONS)[number];
    let most = reach[index * 2] as number;
    let least = -(reach[index * 2 + 1] as number);
    for (let at = 0; at + 2 < positions.length; at += 3) {
      const along =
        a * (positions[at] as number) + b * (positions[at + 1] as number) + c * (positions[at + 2] as number);
      if (along > most) most = along;
      if (along < least) least = along;
    }
    reach[index * 2] = most;
    reach[index * 2 + 1] = -least;
  }
}

function addArea(area: Shapes['area'], positions: Float32Array, indices: ArrayLike<number>): void {
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const a = (indices[at] as number) * 3;
    const b = (indices[at + 1] as number) * 3;
    const c = (indices[at + 2] as number) * 3;
    const [ax, ay, az] = [positions[a] as number, positions[a + 1] as number, positions[a + 2] as number];
    const bx = (positions[b] as number) - ax;
    const by = (positions[b + 1] as number) - ay;
    const bz = (positions[b + 2] as number) - az;
    const cx = (positions[c] as number) - ax;
    const cy = (positions[c + 1] as number) - ay;
    const cz = (positions[c + 2] as number) - az;
    const [u, v, w] = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
    const size = Math.sqrt(u * u + v * v + w * w) / 2;
    area[0] += size;
    area[1] += size * (ax + (bx + cx) / 3);
    area[2] += size * (ay + (by + cy) / 3);
    area[3] += size * (az + (bz + cz) / 3);
    area[4] += (u * ax + v * ay + w * az) / 6;
  }
}
