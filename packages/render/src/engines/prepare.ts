import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forMujoco } from '@bindery/formats/mjcf/adapt';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { LossList } from '@bindery/formats/model/losses';
import { IDENTITY } from '@bindery/formats/model/matrix';
import type { Body, Inertial, Joint, Mechanism } from '@bindery/formats/model/mechanism';
import { WORLD } from '@bindery/formats/model/tree';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import { forUrdf } from '@bindery/formats/urdf/adapt';
import { URDF_ENTRY, writeUrdf } from '@bindery/formats/urdf/write';
import { withCompiled } from '../convert/compiled.ts';
import { type ModelToConvert, readModel } from '../convert/convert.ts';
import { movesBodies } from '../convert/motion.ts';
import { createRendererContext } from '../host/renderer-context.ts';
import { type MujocoTrials, tryInMujoco } from './mujoco-trials.ts';

/** A model for engines, what they are asked, and what MuJoCo did. */
export interface EngineTask extends MujocoTrials {
  /** The URDF. */
  readonly model: string;
  /** The kinds of things that move bodies, and that no engine gets. */
  readonly losses: readonly string[];
}

/**
 * Writes a model as the URDF that engines read, into an empty folder, and has MuJoCo do what they are asked. @throws
 * Unrenderable for a model that cannot be converted.
 */
export async function prepareEngines(model: ModelToConvert, into: string): Promise<EngineTask> {
  const mechanism = await readModel(model);
  const adapted = forUrdf(forMujoco(bareOf(mechanism)));
  for (const [path, bytes] of await writeUrdf(adapted)) {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), bytes);
  }
  const { bodies, losses } = adapted;
  const root = rootOf(adapted);
  const free = bodies.filter(({ joints }) => joints[0]?.type === 'free');
  const onFloor = { ...adapted, physics: mechanism.physics, bodies: [...bodies, FLOOR] };
  const context = createRendererContext(memoryFiles(await writeMjcf(onFloor)));
  const trials = await withCompiled(MJCF_ENTRY, context, ({ mujoco, model: compiled }) =>
    tryInMujoco(mujoco, compiled, {
      floats: root !== undefined,
      bodies: bodies
        .filter(({ name, inertial }) => name !== WORLD && (inertial?.mass ?? 0) > 0)
        .map(({ name }) => name),
      joints: bodies
        .flatMap(({ joints }) => joints)
        .filter(({ type }) => type === 'hinge' || type === 'slide'),
      floating: free.filter((body) => body !== root).flatMap(({ joints }) => joints.map(({ name }) => name)),
      floor: free.length > 0 ? FLOOR.name : undefined,
    }),
  );
  const lost = losses.filter((loss) => movesBodies(loss, false)).map(({ what }) => what);
  return { ...trials, model: join(into, URDF_ENTRY), losses: [...new Set(lost)] };
}

const FLOOR: Body = {
  name: 'floor of the trial',
  parent: undefined,
  pose: IDENTITY,
  joints: [],
  inertial: undefined,
  shapes: [
    { name: 'floor', role: 'collision', pose: IDENTITY, form: { type: 'plane' }, material: undefined },
  ],
};

/**
 * As a model that URDF can say with the least said differently: without what only pictures need and without dry friction, which
 * engines calculate too differently, and without damping that only a smaller step could calculate. What motors turn with joints turns with their bodies instead, without which light fingers
 * are too stiff for any step. A root that floats begins at the origin.
 */
function bareOf(mechanism: Mechanism): Mechanism {
  const root = rootOf(mechanism);
  const step = mechanism.physics.timestep ?? STEP;
  const losses = new LossList();
  const bodies = mechanism.bodies.map((body): Body => {
    const inertial = body.inertial && withArmature(body.inertial, body.joints);
    const isStiff = ({ type, damping }: Joint) =>
      damping * step > (type === 'slide' ? (inertial?.mass ?? 0) : swung(inertial));
    for (const joint of body.joints) {
      const { name, friction, armature } = joint;
      if (isStiff(joint))
        losses.add('damping', name, 'engines calculate it explicitly, and its body is too light');
      if (friction !== 0) losses.add('joint friction', name, 'engines calculate it too differently');
      if (armature !== 0) losses.add('armature', name, 'it is inertia of its body instead');
    }
    return {
      ...body,
      pose: body === root ? IDENTITY : body.pose,
      joints: body.joints.map((joint) => ({
        ...joint,
        friction: 0,
        armature: 0,
        damping: isStiff(joint) ? 0 : joint.damping,
      })),
      inertial,
      shapes: body.shapes.filter(({ role }) => role === 'collision'),
    };
  });
  return { ...mechanism, name: 'model', bodies, losses: [...mechanism.losses, ...losses.all] };
}

/** Seconds of a step where a model says none. */
const STEP = 0.002;

/** About how much inertia a hinge turns at least: that of its body, which lies at its side. */
function swung(inertial: Inertial | undefined): number {
  if (inertial === undefined) return 0;
  const [xx, yy, zz] = inertial.inertia;
  return Math.min(xx, yy, zz) + inertial.mass * Math.hypot(...inertial.center) ** 2;
}

/** About all axes, since about one of them it could be more than a body can have. */
function withArmature(inertial: Inertial, joints: readonly Joint[]): Inertial {
  const hinges = joints.filter(({ type }) => type === 'hinge');
  const armature = hinges.reduce((sum, joint) => sum + joint.armature, 0);
  const [xx, yy, zz, ...others] = inertial.inertia;
  return { ...inertial, inertia: [xx + armature, yy + armature, zz + armature, ...others] };
}

function rootOf({ bodies }: Mechanism): Body | undefined {
  const [top, ...others] = bodies.filter(({ parent }) => parent === undefined);
  return others.length === 0 && top?.joints[0]?.type === 'free' ? top : undefined;
}
