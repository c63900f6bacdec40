import { principalInertia } from '../model/inertia.ts';
import type { LossList } from '../model/losses.ts';
import type { Body, Inertial } from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';

/** What a body gets that has to weigh something and does not: a milligram, as a ball of a millimetre. */
export const LEAST: Inertial = { mass: 1e-6, center: [0, 0, 0], inertia: [1e-12, 1e-12, 1e-12, 0, 0, 0] };
/** The radius of gyration of a mass without inertia, in metres. */
const POINT = 1e-3;
/** What MuJoCo takes for nothing. */
const MUJOCO_ZERO = 1e-15;
/** Rounding of the moments of flat bodies, for which A + B = C. */
const ROUNDING = 1e-9;

/** An inertia that a body can have: no moment is larger than the sum of the others. */
export function possibleInertial({ name, inertial }: Body, losses: LossList): Inertial | undefined {
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

export function hasInertia(inertial: Inertial | undefined): boolean {
  if (inertial === undefined || inertial.mass < MUJOCO_ZERO) return false;
  return principalInertia(inertial.inertia).moments.every((moment) => moment >= MUJOCO_ZERO);
}

export function leastInertial({ name, inertial }: Body, losses: LossList): Inertial {
  if (inertial === undefined || inertial.mass < MUJOCO_ZERO) {
    losses.add('mass', name, 'it has none, which simulators refuse: a milligram');
    return LEAST;
  }
  losses.add('inertia', name, 'it has none, which simulators refuse: that of a point of a millimetre');
  const moment = inertial.mass * POINT ** 2;
  return { ...inertial, inertia: [moment, moment, moment, 0, 0, 0] };
}
