import type { Loss, ProofLine } from '@bindery/formats';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { type Names, renamed } from '@bindery/formats/model/names';
import type { Motion, Trial } from './compiled.ts';
import { motionOf, movesBodies, type Source, startOf } from './motion.ts';
import { check, largestDifference } from './proof.ts';

/** The largest difference of frames after a trial, in metres. */
const CLOSE = 1e-3;

/**
 * Simulates a model and what it became for a second in MuJoCo, falling and swinging freely: without contacts, which
 * formats say too differently. On the way from one to the other they may only differ where something is lost that moves
 * bodies. @throws Unrenderable if they differ elsewhere.
 */
export async function simulationLines(
  { mechanism, own }: Source,
  adapted: Mechanism,
  result: Mechanism,
  trial: Trial,
  names: Names = SAME,
): Promise<ProofLine[]> {
  const start = startOf(mechanism);
  const startOfResult = startOf(renamed(mechanism, names));
  const motionIn = ({ physics, ...one }: Mechanism) => {
    const timestep = physics.timestep ?? mechanism.physics.timestep;
    return motionOf({ ...one, physics: { ...physics, timestep } }, startOfResult, trial);
  };
  const whole = own?.whole ?? (await motionOf(mechanism, start, trial));
  const became = await motionIn(result);
  const duration = trial.seconds === 1 ? 'a second' : `${Number(trial.seconds.toPrecision(2))} seconds`;
  const line = (measured: number) => ({
    what: `frames after ${duration} of simulation without contacts, in metres`,
    measured,
    bound: CLOSE,
  });
  const measured = apart(whole, became, names);
  if (measured <= CLOSE) return [line(measured)];

  const isCause = (loss: Loss) => movesBodies(loss, trial.isDriven);
  const readingLosses = mechanism.losses.filter(isCause);
  const writingLosses = adapted.losses.slice(mechanism.losses.length).filter(isCause);
  const steps: { readonly difference: number; readonly losses: readonly Loss[] }[] = [];
  if (own === undefined) {
    const written = await motionIn(adapted);
    steps.push({ difference: apart(whole, written, names), losses: writingLosses });
    steps.push({ difference: apart(written, became), losses: [] });
  } else {
    const read = await motionOf(mechanism, start, trial);
    const { held = read } = own;
    steps.push({ difference: apart(whole, held), losses: readingLosses });
    steps.push({ difference: apart(held, read), losses: [] });
    steps.push({ difference: apart(read, became, names), losses: writingLosses });
  }
  const unexplained = steps.filter(({ losses }) => losses.length === 0).map(({ difference }) => difference);
  const lines = [line(Math.max(...unexplained))];
  const causes = steps.flatMap(({ difference, losses }) => (difference <= CLOSE ? [] : losses));
  const lost = [...new Set(causes.map(({ what }) => what))];
  const place = farthest(whole, became, names, mechanism);
  if (lost.length > 0)
    lines.push({
      what: `after ${duration} without contacts ${place}: ${lost.join(', ')} ${lost.length > 1 ? 'are' : 'is'} lost`,
      measured,
      bound: steps.reduce((sum, { difference }) => sum + difference, CLOSE),
    });
  check(lines);
  return lines;
}

const SAME: Names = { bodies: new Map(), joints: new Map() };

/** The largest difference of the frames of bodies, which may have other names in `other`. */
function apart(one: Motion, other: Motion, names = SAME): number {
  let largest = 0;
  for (const [name, frame] of one.frames) {
    const counterpart = other.frames.get(names.bodies.get(name) ?? name);
    if (counterpart !== undefined) largest = Math.max(largest, largestDifference(frame, counterpart));
  }
  return largest;
}

/** Where the joint is that differs most; if none does, that bodies do. */
function farthest(moved: Motion, became: Motion, names: Names, { bodies }: Mechanism): string {
  const differences = bodies.flatMap(({ joints }) =>
    joints.flatMap(({ name, type }) => {
      const [one, other] = [moved.joints.get(name), became.joints.get(names.joints.get(name) ?? name)];
      return one === undefined || other === undefined ? [] : [{ name, type, one, other }];
    }),
  );
  const [first] = differences.toSorted((a, b) => Math.abs(b.one - b.other) - Math.abs(a.one - a.other));
  if (first === undefined || Math.abs(first.one - first.other) <= CLOSE) return 'bodies are elsewhere';
  const unit = first.type === 'hinge' ? 'rad' : 'm';
  const [one, other] = [first.one, first.other].map((value) => `${Number(value.toPrecision(3))} ${unit}`);
  return `${first.name} is at ${one} in the source and ${other} here`;
}
