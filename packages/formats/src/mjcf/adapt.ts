import { LossList } from '../model/losses.ts';
import { cross, dot, subtract, unit, type Vector3 } from '../model/matrix.ts';
import type { Body, Mechanism, Shape } from '../model/mechanism.ts';
import type { Geometry } from '../model/scene.ts';
import { rigidGroups, withoutEmptyWorld } from '../model/tree.ts';
import { hasInertia, leastInertial, possibleInertial } from '../writing/possible-inertia.ts';

/** A mechanism such that MuJoCo accepts it; what is changed is among its losses. */
export function forMujoco(mechanism: Mechanism): Mechanism {
  const losses = new LossList();
  const groups = rigidGroups(mechanism.bodies);
  const possible = mechanism.bodies.map((body) => ({ ...body, inertial: possibleInertial(body, losses) }));
  const moved = new Set(
    possible.filter(({ inertial }) => hasInertia(inertial)).map(({ name }) => groups.get(name)),
  );
  const bodies = possible.map((body): Body => {
    const { name, joints, shapes } = body;
    for (const { name: joint, velocity } of joints)
      if (velocity !== undefined) losses.add('velocity limit', joint, 'MuJoCo has none for joints');
    return {
      ...body,
      joints: joints.map((joint) => ({ ...joint, velocity: undefined })),
      inertial: joints.length === 0 || moved.has(name) ? body.inertial : leastInertial(body, losses),
      shapes: shapes.flatMap((shape) => possibleShape(shape, groups.get(name) !== undefined, losses)),
    };
  });
  return { ...mechanism, bodies: withoutEmptyWorld(bodies), losses: [...mechanism.losses, ...losses.all] };
}

/**
 * A mechanism in which parts of one robot pass through each other; undefined if none of the pairs is of one. What is inside
 * of each other from the beginning was never meant to collide, or is so only as MuJoCo's hulls of meshes.
 */
export function withoutCollisions(
  mechanism: Mechanism,
  pairs: readonly (readonly [string, string])[],
): Mechanism | undefined {
  const roots = new Map<string, string>();
  for (const { name, parent } of mechanism.bodies)
    roots.set(name, parent === undefined ? name : (roots.get(parent) ?? name));
  const own = pairs.filter(([one, other]) => roots.has(one) && roots.get(one) === roots.get(other));
  const distinct = new Map(own.map((pair) => [pair.toSorted().join(' '), pair]));
  if (distinct.size === 0) return undefined;
  const losses = new LossList();
  for (const names of distinct.keys())
    losses.add('collision', names, 'they are inside of each other at rest, so they do not collide');
  return {
    ...mechanism,
    excluded: [...mechanism.excluded, ...distinct.values()],
    losses: [...mechanism.losses, ...losses.all],
  };
}

function possibleShape(shape: Shape, isMoving: boolean, losses: LossList): Shape[] {
  const { name, form, role } = shape;
  if (form.type === 'plane' && isMoving) {
    losses.add('plane', name, 'MuJoCo has planes only in the world');
    return [];
  }
  if (form.type === 'mesh') {
    for (const { geometry } of form.parts)
      if (role === 'visual' && geometry.colors !== undefined)
        losses.add('vertex colours', form.name, 'MuJoCo has none for meshes');
    if (role === 'visual') return [shape];
    const parts = form.parts.filter(({ geometry }) => !isFlat(geometry));
    if (parts.length < form.parts.length)
      losses.add('collision mesh', name, 'MuJoCo collides with what is inside of a mesh, and it is flat');
    if (parts.some(({ geometry }) => isHollow(geometry)))
      losses.add(
        'collision mesh',
        name,
        'MuJoCo collides with the convex hull of a mesh, and it is hollow or bent',
      );
    return parts.length === 0 ? [] : [{ ...shape, form: { ...form, parts } }];
  }
  if (measuresOf(form).every((measure) => measure > 0)) return [shape];
  losses.add('shape', name, 'it has no size');
  return [];
}

function measuresOf(form: Exclude<Shape['form'], { type: 'mesh' }>): readonly number[] {
  switch (form.type) {
    case 'box':
      return form.size;
    case 'sphere':
      return [form.radius];
    case 'ellipsoid':
      return form.radii;
    case 'cylinder':
    case 'capsule':
      return [form.radius, form.length];
    case 'plane':
      return [];
  }
}

/** Of the size of a mesh: what counts as flat, and as a dent. */
const [FLAT, DENT] = [1e-6, 1e-3];
/** How many triangles are looked at. */
const SAMPLED = 200;

/** Whether all vertices are in a plane. */
function isFlat(geometry: Geometry): boolean {
  const points = pointsOf(geometry);
  const farthest = (measure: (point: Vector3) => number) =>
    points.reduce((best, point) => (measure(point) > measure(best) ? point : best), ORIGIN);
  const along = farthest((point) => Math.hypot(...point));
  const across = farthest((point) => Math.hypot(...cross(along, point)));
  const normal = unit(cross(along, across));
  const height = farthest((point) => Math.abs(dot(normal, point)));
  return Math.abs(dot(normal, height)) <= FLAT * Math.hypot(...along);
}

/** Whether triangles have vertices of the mesh on both sides, so that it is not its own convex hull. */
function isHollow(geometry: Geometry): boolean {
  const points = pointsOf(geometry);
  const dent = DENT * points.reduce((size, point) => Math.max(size, Math.hypot(...point)), 0);
  const triangles = Math.floor(geometry.indices.length / 3);
  const stride = Math.max(1, Math.floor(triangles / SAMPLED));
  for (let triangle = 0; triangle < triangles; triangle += stride) {
    const corner = (at: 0 | 1 | 2) => points[geometry.indices[triangle * 3 + at] ?? 0] ?? ORIGIN;
    const a = corner(0);
    const across = cross(subtract(corner(1), a), subtract(corner(2), a));
    if (Math.hypot(...across) === 0) continue;
    const normal = unit(across);
    const plane = dot(normal, a);
    const isBehind = points.some((point) => dot(normal, point) < plane - dent);
    if (isBehind && points.some((point) => dot(normal, point) > plane + dent)) return true;
  }
  return false;
}

const ORIGIN: Vector3 = [0, 0, 0];

/** The vertices, from the first of them. */
function pointsOf({ positions }: Geometry): Vector3[] {
  return Array.from({ length: positions.length / 3 }, (_, at): Vector3 => {
    const [x = 0, y = 0, z = 0] = positions.subarray(at * 3, at * 3 + 3);
    return [x - (positions[0] ?? 0), y - (positions[1] ?? 0), z - (positions[2] ?? 0)];
  });
}
