import { type Matrix4, transformPoints } from '@bindery/formats/model/matrix';
import type { Form, Mechanism } from '@bindery/formats/model/mechanism';
import { surfaceOf } from '@bindery/formats/model/primitives';
import type { Geometry } from '@bindery/formats/model/scene';

/** The corners of triangles. */
type Surface = Pick<Geometry, 'positions' | 'indices'>;

/** Collision shapes of one body and kind, by what no way of cutting meshes into parts changes, in the frame of the body. */
interface Colliders {
  /** 0 for meshes, which some formats cut by their materials. */
  count: number;
  /** How far they extend to both sides along `DIRECTIONS`, in metres. */
  readonly reach: number[];
  /** The area of their surfaces in square metres, its first moments, and what they enclose, negative if they face inwards. */
  readonly area: [whole: number, x: number, y: number, z: number, volume: number];
  /** Coefficients of sliding friction that formats say. */
  readonly friction: Set<number>;
}

/** What bodies collide with: by the body's name and the kind of form. */
export type CollidersByBody = ReadonlyMap<string, Colliders>;

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

/** Gathers the collision shapes of a model. */
export class ColliderList {
  readonly byBody = new Map<string, Colliders>();

  /** `pose` leads from the frame of `surface` to that of the body. */
  add(body: string, pose: Matrix4, type: Form['type'], surface: Surface, friction?: number): void {
    if (surface.positions.length === 0) return;
    // USD has no ellipsoids but meshes.
    const isMesh = type === 'mesh' || type === 'ellipsoid';
    const key = `${body}: ${isMesh ? 'mesh' : type}`;
    const colliders = this.byBody.get(key) ?? {
      count: 0,
      reach: DIRECTIONS.flatMap(() => [-Infinity, -Infinity]),
      area: [0, 0, 0, 0, 0],
      friction: new Set<number>(),
    };
    this.byBody.set(key, colliders);
    if (!isMesh) colliders.count++;
    if (friction !== undefined) colliders.friction.add(friction);
    const positions = transformPoints(pose, surface.positions);
    extend(colliders.reach, positions);
    addArea(colliders.area, positions, surface.indices);
  }
}

/** The surface of a form that is no mesh. */
export function surfaceOfForm(form: Exclude<Form, { type: 'mesh' }>): Surface {
  return form.type === 'plane' ? PLANE : surfaceOf(form);
}

export function collidersOf({ bodies }: Mechanism): CollidersByBody {
  const list = new ColliderList();
  for (const { name, shapes } of bodies) {
    for (const { role, pose, form, friction } of shapes) {
      if (role !== 'collision') continue;
      if (form.type !== 'mesh') list.add(name, pose, form.type, surfaceOfForm(form), friction);
      else for (const { geometry } of form.parts) list.add(name, pose, 'mesh', geometry, friction);
    }
  }
  return list.byBody;
}

/** How far colliders are from what they became: more than any bound if some have no counterpart. */
export function collidersApart(source: CollidersByBody, result: CollidersByBody): number {
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

/** Whether the result has the friction that its source says; not all formats have some. */
function rubsAlike(source: Colliders, { friction }: Colliders): boolean {
  const isThere = (value: number) => [...friction].some((one) => Math.abs(one - value) <= 1e-6 * (1 + value));
  return friction.size === 0 || [...source.friction].every(isThere);
}

function extend(reach: number[], positions: Float32Array): void {
  for (let at = 0; at + 2 < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    for (const [index, [a, b, c]] of DIRECTIONS.entries()) {
      const along = a * x + b * y + c * z;
      reach[index * 2] = Math.max(reach[index * 2] as number, along);
      reach[index * 2 + 1] = Math.max(reach[index * 2 + 1] as number, -along);
    }
  }
}

function addArea(area: Colliders['area'], positions: Float32Array, indices: ArrayLike<number>): void {
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const corner = (of: number) => (indices[at + of] as number) * 3;
    const [a, b, c] = [corner(0), corner(1), corner(2)];
    const value = (start: number, axis: number) => positions[start + axis] as number;
    const side = (start: number, axis: number) => value(start, axis) - value(a, axis);
    const across = (i: number, j: number) => side(b, i) * side(c, j) - side(b, j) * side(c, i);
    const [u, v, w] = [across(1, 2), across(2, 0), across(0, 1)];
    const size = Math.hypot(u, v, w) / 2;
    area[0] += size;
    area[4] += (u * value(a, 0) + v * value(a, 1) + w * value(a, 2)) / 6;
    for (const axis of [0, 1, 2] as const)
      area[axis + 1] =
        (area[axis + 1] as number) + (size * (value(a, axis) + value(b, axis) + value(c, axis))) / 3;
  }
}
