import type { SimulationProblem } from '@bindery/formats';
import { at, JOINT, rounded } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** A joint with one degree of freedom and limits. */
export interface LimitedJoint {
  readonly joint: number;
  readonly name: string;
  readonly isHinge: boolean;
  readonly address: number;
  readonly degree: number;
  /** Radians or metres. */
  readonly lower: number;
  readonly upper: number;
}

export function limitedJoints(simulator: Simulator): LimitedJoint[] {
  const { model } = simulator;
  return singleJoints(simulator).flatMap((joint) => {
    const limits = simulator.limitsOf(joint);
    if (limits === undefined) return [];
    const [lower, upper] = limits;
    return {
      joint,
      name: simulator.nameOf('joint', joint),
      isHinge: at(model.jnt_type, joint) === JOINT.hinge,
      address: at(model.jnt_qposadr, joint),
      degree: at(model.jnt_dofadr, joint),
      lower,
      upper,
    };
  });
}

/** The joints that have one coordinate. */
export function singleJoints({ model }: Simulator): number[] {
  return Array.from({ length: model.njnt }, (_, joint) => joint).filter((joint) =>
    isSingle(at(model.jnt_type, joint)),
  );
}

function isSingle(type: number): boolean {
  return type === JOINT.hinge || type === JOINT.slide;
}

/** How far joints may be outside of their limits, as a part of their range, and in radians or metres. */
export const TOLERANCES = {
  /** Limits give way a little. */
  'joint-passes-limit': [0.1, 0.02],
  'starts-outside-limits': [0.01, 0.001],
} as const;

/** Those of some joints that are beyond their limits at this moment. */
export function jointsOutside(
  simulator: Simulator,
  code: keyof typeof TOLERANCES,
  joints: readonly LimitedJoint[] = limitedJoints(simulator),
): LimitedJoint[] {
  const [part, least] = TOLERANCES[code];
  return joints.filter(({ lower, upper, address }) => {
    const value = at(simulator.data.qpos, address);
    return Math.max(lower - value, value - upper) > part * (upper - lower) + least;
  });
}

/** Says where joints are that are beyond their limits; `when` begins the sentences. */
export function outsideLimits(
  simulator: Simulator,
  when: string,
  code: keyof typeof TOLERANCES,
  joints?: readonly LimitedJoint[],
): SimulationProblem[] {
  return jointsOutside(simulator, code, joints).map((joint) => {
    const value = rounded(at(simulator.data.qpos, joint.address));
    return { code, message: `${when}, ${joint.name} is at ${value}, outside of ${rangeOf(joint)}` };
  });
}

export function rangeOf({ lower, upper }: Pick<LimitedJoint, 'lower' | 'upper'>): string {
  return `${rounded(lower)} to ${rounded(upper)}`;
}
