import type { Loss } from '@bindery/formats';
import type { LoadContext } from '@bindery/formats/context';
import { forMujoco } from '@bindery/formats/mjcf/adapt';
import { leaveHeld } from '@bindery/formats/mjcf/held';
import { mechanismOf } from '@bindery/formats/mjcf/mechanism';
import {
  CALCULATION,
  type Calculation,
  calculationOf,
  STANDARD_TIMESTEP,
} from '@bindery/formats/mjcf/options';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { atOrigin, atRest, type Configuration } from '@bindery/formats/model/kinematics';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import { createRendererContext } from '../host/renderer-context.ts';
import { type Motion, type Trial, withCompiled } from './compiled.ts';

/** A mechanism that was read of a model. */
export interface Source {
  readonly mechanism: Mechanism;
  /** How the model moves in its own simulator; absent for a format without one. */
  readonly own?: OwnMotion;
}

interface OwnMotion {
  readonly calculation: Calculation;
  /** As it is written. */
  readonly whole: Motion;
  /** Without what a mechanism does not hold; undefined if that cannot be taken out. */
  readonly held: Motion | undefined;
}

/** How many steps are made at most, and times the degrees of freedom. If a second has more, the trial is shorter. */
const [MAX_STEPS, MAX_WORK] = [10_000, 500_000];
/** Degrees of freedom. */
const FREEDOM = { free: 6, ball: 3, hinge: 1, slide: 1 } as const;

/** The trial of a mechanism and of what it becomes; where a format leaves it to the simulator, both are calculated alike. */
export function trialOf({ mechanism, own }: Source, isDriven: boolean): Trial {
  const { bodies, physics } = mechanism;
  const joints = bodies.flatMap((body) => body.joints);
  const freedom = joints.reduce((sum, { type }) => sum + FREEDOM[type], 1);
  const steps = Math.min(MAX_STEPS, Math.floor(MAX_WORK / freedom));
  const seconds = Math.min(1, steps * (physics.timestep ?? STANDARD_TIMESTEP));
  return { seconds, isDriven, calculation: own?.calculation ?? {} };
}

/** Where a trial begins: with free bodies at the origin, and joints at their reference or, if they cannot be there, nearby. */
export function startOf(mechanism: Mechanism): Configuration {
  const values = [...atRest(mechanism)].filter(([, value]) => typeof value === 'number');
  return new Map([...atOrigin(mechanism), ...values]);
}

/** Reads a model in MJCF, and how it moves as MuJoCo compiles it from its own files. @throws Unrenderable */
export function readMoving(entry: string, context: LoadContext, isDriven: boolean): Promise<Source> {
  return withCompiled(entry, context, (compiled) => {
    const { mujoco, model } = compiled;
    const mechanism = mechanismOf(mujoco, model, context);
    const trial = trialOf({ mechanism }, isDriven);
    const start = startOf(mechanism);
    const calculation = calculationOf(model);
    const whole = compiled.motionFrom(start, trial);
    const isWhole = !mechanism.losses.some((loss) => movesBodies(loss, isDriven));
    if (isWhole) return { mechanism, own: { calculation, whole, held: whole } };
    const held = leaveHeld(mujoco, model) ? compiled.motionFrom(start, trial) : undefined;
    return { mechanism, own: { calculation, whole, held } };
  });
}

/** What bodies move by, as losses call it, and what actuators do. */
const MOVING = new Set([
  ...['gravity', 'gravcomp', 'mocap', 'tendon', 'equality', 'flex', 'plugin', 'body/plugin', 'geom/plugin'],
  ...['spring', 'armature', 'damping', 'joint friction', 'coupled joint', 'ball', 'joint', 'mass', 'inertia'],
  ...['body', 'geom/@fluidshape'],
]);
const DRIVING = new Set(['actuator', 'gear', 'forcerange', 'effort']);
const MOVING_ATTRIBUTE = /^(?:option|flag|joint|actuator)\/@(?!user$|contact$)/;

/** Whether bodies move differently without what is lost, calculated alike; `isDriven`: by actuators, too. */
export function movesBodies({ what, why }: Loss, isDriven: boolean): boolean {
  if (why === CALCULATION) return false;
  return MOVING.has(what) || MOVING_ATTRIBUTE.test(what) || (isDriven && DRIVING.has(what));
}

/** How a mechanism without its shapes moves in MuJoCo. */
export async function motionOf(mechanism: Mechanism, start: Configuration, trial: Trial): Promise<Motion> {
  const bare = {
    ...mechanism,
    bodies: mechanism.bodies.map((body) => ({ ...body, shapes: [] })),
    excluded: [],
  };
  const context = createRendererContext(memoryFiles(await writeMjcf(forMujoco(bare))));
  return withCompiled(MJCF_ENTRY, context, (compiled) => compiled.motionFrom(start, trial));
}
