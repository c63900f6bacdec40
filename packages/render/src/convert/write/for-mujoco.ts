import { cross, unit, type Vector3 } from '../../matrix.ts';
import type { Geometry } from '../../scene.ts';
import { principalInertia } from '../inertia.ts';
import { LossList } from '../losses.ts';
import type { Body, Inertial, Mechanism, Shape } from '../mechanism.ts';
import { rigidGroups, WORLD } from '../tree.ts';

/** What a body gets that a joint moves and that weighs nothing: a milligram, as a ball of a millimetre. */
const LEAST: Inertial = { mass: 1e-6, center: [0, 0, 0], inertia: [1e-12, 1e-12, 1e-12, 0, 0, 0] };
/** The radius of gyration of a mass without inertia, in metres. */
const POINT = 1e-3;
/** What MuJoCo takes for nothing. */
const MUJOCO_ZERO = 1e-15;
/** Rounding of the moments of flat bodies, for which A + B = C. */
const ROUNDING = 1e-9;

/** A mechanism such that MuJoCo accepts it; what is changed is among its losses. */
export function forMujoco(mechanism: Mechanism): Mechanism {
  const losses = new LossList();
  const groups = rigidGroups(mechanism.bodies);
  const possible = mechanism.bodies.map((body) => ({ ...body, inertial: possibleInertial(body, losses) }));
  const moved = new Set(
    possible.filter(({ inertial }) => isMovable(inertial)).map(({ name }) => groups.get(name)),
  );
  const bodies = possible.map((body): Body => {
    const { name, joints, shapes } = body;
    for (const { name: joint, velocity } of joints)
      if (velocity !== undefined) losses.add('velocity limit', joint, 'MuJoCo has none for joints');
    return {
      ...body,
      inertial: joints.length === 0 || moved.has(name) ? body.inertial : leastInertial(body, losses),
      shapes: shapes.filter((shape) => isPossible(shape, groups.get(name) !== undefined, losses)),
    };
  });
  return { ...mechanism, bodies, losses: [...mechanism.losses, ...losses.all] };
}

/** An inertia that a body can have: no moment is larger than the sum of the others. */
function possibleInertial({ name, inertial }: Body, losses: LossList): Inertial | undefined {
  if (inertial === undefined) return undefined;
  if (name === WORLD) {
    losses.add('mass', name, 'what is part of the world has none in MuJoCo');
    return undefined;
  }
  const { moments } = principalInertia(inertial.inertia);
  const [least, middle, most] = moments.toSorted((a, b) => a - b) as [number, number, number];
  const lacking = most - middle - least;
  if (lacking <= 0) return inertial;
  if (lacking > ROUNDING * most)
    losses.add(
      'inertia',
      name,
      'no body has it, as one moment exceeds the sum of the others: all are raised equally',
    );
  const raised = lacking + ROUNDING * most;
  const [xx, yy, zz, ...rest] = inertial.inertia;
  return { ...inertial, inertia: [xx + raised, yy + raised, zz + raised, ...rest] };
}

function isMovable(inertial: Inertial | undefined): boolean {
  if (inertial === undefined || inertial.mass < MUJOCO_ZERO) return false;
  return principalInertia(inertial.inertia).moments.every((moment) => moment >= MUJOCO_ZERO);
}

function leastInertial({ name, inertial }: Body, losses: LossList): Inertial {
  if (inertial === undefined || inertial.mass < MUJOCO_ZERO) {
    losses.add('mass', name, 'it has none, and MuJoCo moves nothing without: a milligram');
    return LEAST;
  }
  losses.add('inertia', name, 'it has none, and MuJoCo moves nothing without: that of a millimetre');
  const moment = inertial.mass * POINT ** 2;
  return { ...inertial, inertia: [moment, moment, moment, 0, 0, 0] };
}

function isPossible({ name, form, role }: Shape, isMoving: boolean, losses: LossList): boolean {
  if (form.type === 'plane' && isMoving) {
    losses.add('plane', name, 'MuJoCo has planes only in the world');
    return false;
  }
  if (form.type === 'mesh') {
    for (const { geometry } of form.parts)
      if (role === 'visual' && geometry.colors !== undefined)
        losses.add('vertex colours', form.name, 'MuJoCo has none for meshes');
    const isSolid = role === 'visual' || !form.parts.some(({ geometry }) => isFlat(geometry));
    if (!isSolid)
      losses.add('collision mesh', name, 'MuJoCo collides with what is inside of a mesh, and it is flat');
    return isSolid;
  }
  if (measuresOf(form).every((measure) => measure > 0)) return true;
  losses.add('shape', name, 'it has no size');
  return false;
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

/** Of the size of a mesh: what counts as flat. */
const FLAT = 1e-6;

/** Whether all vertices are in a plane. */
function isFlat({ positions }: Geometry): boolean {
  const points = Array.from({ length: positions.length / 3 }, (_, at): Vector3 => {
    const [x = 0, y = 0, z = 0] = positions.subarray(at * 3, at * 3 + 3);
    return [x - (positions[0] ?? 0), y - (positions[1] ?? 0), z - (positions[2] ?? 0)];
  });
  const farthest = (measure: (point: Vector3) => number) =>
    points.reduce((best, point) => (measure(point) > measure(best) ? point : best), [0, 0, 0] as Vector3);
  const along = farthest((point) => Math.hypot(...point));
  const across = farthest((point) => Math.hypot(...cross(along, point)));
  const normal = unit(cross(along, across));
  const height = farthest(([x, y, z]) => Math.abs(normal[0] * x + normal[1] * y + normal[2] * z));
  const [x, y, z] = height;
  return Math.abs(normal[0] * x + normal[1] * y + normal[2] * z) <= FLAT * Math.hypot(...along);
}
