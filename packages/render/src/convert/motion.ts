import type { LoadContext } from '@bindery/formats/context';
import { forMujoco } from '@bindery/formats/mjcf/adapt';
import { leaveHeld } from '@bindery/formats/mjcf/held';
import { mechanismOf } from '@bindery/formats/mjcf/mechanism';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { atOrigin, type Configuration } from '@bindery/formats/model/kinematics';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import { createRendererContext } from '../host/renderer-context.ts';
import { type Motion, type Trial, withCompiled } from './compiled.ts';

/** A mechanism that was read of a model. */
export interface Source {
  readonly mechanism: Mechanism;
  /** How the model moves in its own simulator; absent for a format without one. */
  readonly own?: {
    /** As it is written. */
    readonly motion: Motion;
    /** Without what a mechanism does not hold; undefined if that cannot be taken out. */
    readonly held: Motion | undefined;
  };
}

/** More steps of a second than this are not made: the trial is shorter. */
const MAX_STEPS = 10_000;

export function trialOf({ physics }: Pick<Mechanism, 'physics'>, isDriven: boolean): Trial {
  const { timestep = 1 / MAX_STEPS } = physics;
  return { seconds: Math.min(1, MAX_STEPS * timestep), isDriven };
}

/** Reads a model in MJCF, and how it moves as MuJoCo compiles it from its own files. @throws Unrenderable */
export function readMoving(entry: string, context: LoadContext, isDriven: boolean): Promise<Source> {
  return withCompiled(entry, context, (compiled) => {
    const { mujoco, model } = compiled;
    const mechanism = mechanismOf(mujoco, model, context);
    const trial = trialOf(mechanism, isDriven);
    const start = atOrigin(mechanism);
    const motion = compiled.motionFrom(start, trial);
    const held = leaveHeld(mujoco, model) ? compiled.motionFrom(start, trial) : undefined;
    return { mechanism, own: { motion, held } };
  });
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
