import type { MainModule, MjModel } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import type { WantedParts } from '../format.ts';
import type { Vector3 } from '../model/matrix.ts';
import { type Body, type Inertial, type Joint, type Mechanism, ROLES } from '../model/mechanism.ts';
import { compileModel } from './compile.ts';
import { integer, isLimited, nameOf, namesOf, pair, placement, row } from './lookups.ts';
import { couplingsOf, ModelActuators } from './mechanism-control.ts';
import { modelLosses } from './mechanism-losses.ts';
import { ModelShapes } from './mechanism-shapes.ts';
import { copyModelFiles } from './model-files.ts';
import { physicsOf } from './options.ts';
import { mujocoOf } from './read.ts';

/** Reads a model as MuJoCo compiles it. @throws Unrenderable if MuJoCo refuses it. */
export function readMjcfMechanism(
  entry: string,
  context: LoadContext,
  { roles = ROLES }: Pick<WantedParts, 'roles'> = {},
): Promise<Mechanism> {
  return mujocoOf(context)(async (mujoco) => {
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    try {
      const { bodies, ...mechanism } = mechanismOf(mujoco, model, context);
      const shapesOf = ({ shapes }: Body) => shapes.filter(({ role }) => roles.includes(role));
      return { ...mechanism, bodies: bodies.map((body) => ({ ...body, shapes: shapesOf(body) })) };
    } finally {
      model.delete();
    }
  });
}

/** A model as MuJoCo compiled it. */
export function mechanismOf(mujoco: MainModule, model: MjModel, context: LoadContext): Mechanism {
  const bodyNames = namesOf(model, 'body');
  const jointNames = namesOf(model, 'joint');
  const couplings = couplingsOf(model, jointNames);
  const shapes = new ModelShapes(model, context);
  const joints = jointNames.map((name, joint) => ({
    ...jointOf(model, joint, name),
    ...couplings.of(joint),
  }));
  const [parents, firstJoints, jointCounts] = [model.body_parentid, model.body_jntadr, model.body_jntnum];
  const bodies = bodyNames.map((name, body): Body => {
    const first = integer(firstJoints, body);
    return {
      name,
      parent: integer(parents, body) === 0 ? undefined : bodyNames[integer(parents, body)],
      pose: placement(row(model.body_pos, body, 3), row(model.body_quat, body, 4)),
      joints: joints.slice(first, first + integer(jointCounts, body)),
      inertial: inertialOf(model, body),
      shapes: shapes.of(body),
    };
  });
  const [world, ...moving] = bodies;
  const actuators = new ModelActuators(model, jointNames);
  return {
    name: nameOf(model, [0], 0),
    bodies: world === undefined || world.shapes.length === 0 ? moving : [world, ...moving],
    actuators: actuators.driving,
    excluded: excludedPairs(model, bodyNames),
    physics: physicsOf(mujoco, model),
    faults: [],
    losses: [...modelLosses(mujoco, model), ...couplings.losses, ...actuators.losses, ...shapes.losses],
  };
}

/** `mjtJoint` by value. */
const JOINT_TYPES = ['free', 'ball', 'slide', 'hinge'] as const;

export function jointOf(model: MjModel, joint: number, name: string): Joint {
  const type = JOINT_TYPES[integer(model.jnt_type, joint)] ?? 'hinge';
  const isSingle = type === 'hinge' || type === 'slide';
  const [dof, position] = [integer(model.jnt_dofadr, joint), integer(model.jnt_qposadr, joint)];
  const value = (values: unknown, at: number) => (values as Float64Array)[at] ?? 0;
  return {
    name,
    type,
    anchor: row(model.jnt_pos, joint, 3) as unknown as Vector3,
    axis: row(model.jnt_axis, joint, 3) as unknown as Vector3,
    reference: isSingle ? value(model.qpos0, position) : 0,
    limits: isSingle && isLimited(model, joint) ? pair(model.jnt_range, joint) : undefined,
    damping: value(model.dof_damping, dof),
    friction: value(model.dof_frictionloss, dof),
    armature: value(model.dof_armature, dof),
    stiffness: value(model.jnt_stiffness, joint),
    springReference: isSingle ? value(model.qpos_spring, position) : 0,
    effort: Math.max(...pair(model.jnt_actfrcrange, joint).map(Math.abs)) || undefined,
    velocity: undefined,
  };
}

export function inertialOf(model: MjModel, body: number): Inertial | undefined {
  const mass = (model.body_mass as Float64Array)[body] ?? 0;
  const moments = row(model.body_inertia, body, 3);
  if (mass === 0 && moments.every((moment) => moment === 0)) return undefined;
  const center = row(model.body_ipos, body, 3) as unknown as Vector3;
  const r = placement([0, 0, 0], row(model.body_iquat, body, 4));
  // R · diag(moments) · Rᵀ; column k of R is the k-th principal axis.
  const along = (i: number, j: number) =>
    moments.reduce((sum, moment, k) => sum + moment * (r[k * 4 + i] ?? 0) * (r[k * 4 + j] ?? 0), 0);
  return {
    mass,
    center,
    inertia: [along(0, 0), along(1, 1), along(2, 2), along(0, 1), along(0, 2), along(1, 2)],
  };
}

export function excludedPairs(model: MjModel, bodyNames: readonly string[]): [string, string][] {
  return Array.from(model.exclude_signature as Int32Array, (signature) => [
    bodyNames[signature >>> 16] ?? '',
    bodyNames[signature & 0xffff] ?? '',
  ]);
}
