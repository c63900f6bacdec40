import type { SimulationProblem } from '@bindery/formats';
import { seeded } from '../random.ts';
import { drivesOf, pacedControl, type Servo, servosOf } from './drives.ts';
import { limitedJoints } from './joints.ts';
import { at, JOINT, rounded } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** The length that a servo goes to for a control. */
function targetOf({ gain, constant, stiffness }: Servo, control: number): number {
  return (gain * control + constant) / stiffness;
}

/** How far a servo moves by its joint's limits, or by its control. */
function reachOf(simulator: Simulator, servo: Servo): number {
  const [from, to] = (servo.range ?? [0, 0]).map((control) => targetOf(servo, control)) as [number, number];
  const byControl = servo.range === undefined ? Number.POSITIVE_INFINITY : Math.abs(to - from);
  const [lower, upper] = simulator.limitsOf(servo.joint) ?? [0, Number.POSITIVE_INFINITY];
  return Math.min(byControl, (upper - lower) * Math.abs(servo.gear));
}

const HOLD_SECONDS = 1;
/** How far a servo may be from its target at last, and how fast in a second, as a part of its range. */
const MAX_MISS = 0.25;

/** Finds joints with servos that leave the pose of a keyframe; sound models keep within a tenth of their reach. */
export function holdProblems(simulator: Simulator, keyframe: number): SimulationProblem[] {
  const { model, data } = simulator;
  const reaches = new Map(
    servosOf(simulator).map((servo) => [servo.joint, reachOf(simulator, servo) / Math.abs(servo.gear)]),
  );
  if (reaches.size === 0) return [];
  simulator.reset(keyframe);
  const start = Float64Array.from(data.qpos as ArrayLike<number>);
  simulator.run(HOLD_SECONDS);
  return [...reaches].flatMap(([joint, reach]): SimulationProblem[] => {
    const address = at(model.jnt_qposadr, joint);
    const [from, to] = [at(start, address), at(data.qpos, address)];
    if (!(Math.abs(to - from) > MAX_MISS * reach)) return [];
    const message =
      `keyframe ${simulator.nameOf('key', keyframe)} has ${simulator.nameOf('joint', joint)} at ${rounded(from)}, ` +
      `but its servo takes it to ${rounded(to)} in ${HOLD_SECONDS} s: do the controls of the keyframe (ctrl) fit it?`;
    return [{ code: 'keyframe-not-held', message }];
  });
}

/** How long servos may take to their targets, in simulated seconds: most are there early, heavy ones late. */
const SERVO_SECONDS = [3, 12];

/** What servos are told, as parts of their ranges: what never moves from the middle misses both. */
export const TOLD = [0.2, 0.8];

/** Finds servos that do not take their joints where they are told. */
export function servoProblems(simulator: Simulator): SimulationProblem[] {
  const servos = servosOf(simulator).filter(({ range }) => range !== undefined);
  if (servos.length === 0) return [];
  const { timestep } = simulator.model.opt;
  const pace = pacedControl(simulator);
  const missed = new Map<number, string>();
  simulator.inEmptySpace(true, () => {
    for (const part of TOLD) {
      simulator.reset(-1);
      const controls = new Float64Array(simulator.model.nu);
      for (const { control, range: [lower, upper] = [0, 0] } of servos)
        controls[control] = lower + part * (upper - lower);
      let [seconds, late] = [0, servos];
      for (const end of SERVO_SECONDS) {
        for (; seconds < end; seconds += timestep) {
          pace(controls, seconds === 0);
          simulator.step();
        }
        late = late.filter((servo) => isLate(simulator, servo));
        if (late.length === 0) break;
      }
      for (const servo of late) {
        const [target, reached] = [
          told(simulator, servo),
          at(simulator.data.actuator_length, servo.actuator),
        ];
        missed.set(
          servo.actuator,
          `told ${rounded(target)}, ${simulator.nameOf('actuator', servo.actuator)} is at ${rounded(reached)} after ${Math.round(seconds)} s`,
        );
      }
    }
  });
  return [...missed.values()].map((message) => ({ code: 'actuator-misses-target', message }));
}

function told(simulator: Simulator, servo: Servo): number {
  const { data } = simulator;
  const { activation, control } = servo;
  return targetOf(servo, activation === undefined ? at(data.ctrl, control) : at(data.act, activation));
}

function isLate(simulator: Simulator, servo: Servo): boolean {
  const { data } = simulator;
  const { actuator, gain, stiffness, joint, gear } = servo;
  const target = told(simulator, servo);
  const limits = simulator.limitsOf(joint)?.map((limit) => limit * gear) ?? [];
  // Controls in another unit than the joint, such as 0 to 255, need not fit its limits.
  const isScaled = Math.abs(gain - stiffness) > 1e-3 * Math.abs(gain);
  if (isScaled && limits.length > 0 && (target < Math.min(...limits) || target > Math.max(...limits)))
    return false;
  const missedBy = Math.abs(at(data.actuator_length, actuator) - target);
  const most = MAX_MISS * reachOf(simulator, servo);
  return !(Math.max(missedBy, Math.abs(at(data.actuator_velocity, actuator))) <= most);
}

/** In how many poses servos are asked for their strength, and in which part of them they may lack it. */
const POSES = 16;
const MAX_LACKING = 1 / 3;
/** How much stronger than a motor says the drive of a converted model may be. */
const MARGIN = 3;

/**
 * Finds joints whose servos are too weak for what hangs on them in a third of all poses. Of other formats, whose efforts
 * are often estimates, motors count if they lack a multiple.
 */
export function weakDriveProblems(simulator: Simulator): SimulationProblem[] {
  const { model } = simulator;
  const strengths = strengthsOf(simulator);
  // What constraints carry, nothing here tells.
  if (strengths.size === 0 || model.neq > 0) return [];
  const margin = simulator.isConverted ? MARGIN : 1;
  const random = seeded(1);
  const limited = limitedJoints(simulator);
  const lacking = new Map<number, number[]>();
  const degrees = model.jnt_dofadr as Int32Array;
  for (let pose = 0; pose < POSES; pose++) {
    const values = Float64Array.from(model.qpos0 as ArrayLike<number>);
    for (const { address, lower, upper } of limited) values[address] = lower + random() * (upper - lower);
    const loads = simulator.loadsIn(values);
    for (const [joint, strength] of strengths) {
      const load = at(loads, at(degrees, joint));
      if (load > margin * strength) lacking.set(joint, [...(lacking.get(joint) ?? []), load]);
    }
  }
  return [...lacking].flatMap(([joint, loads]): SimulationProblem[] => {
    if (loads.length <= MAX_LACKING * POSES) return [];
    const unit = at(model.jnt_type, joint) === JOINT.hinge ? 'N m' : 'N';
    const message =
      `${simulator.nameOf('joint', joint)} takes up to ${rounded(Math.max(...loads))} ${unit} to hold against gravity, ` +
      `and what drives it has ${rounded(strengths.get(joint) ?? 0)} ${unit} at most`;
    return [{ code: 'actuator-too-weak', message }];
  });
}

/** What drives each joint that is held at most, in newtons or newton metres. */
function strengthsOf(simulator: Simulator): Map<number, number> {
  const servos = new Set(servosOf(simulator).map(({ actuator }) => actuator));
  const strengths = new Map<number, number>();
  for (const [joint, drives] of Map.groupBy(drivesOf(simulator), (drive) => drive.joint)) {
    if (!simulator.isConverted && !drives.some(({ actuator }) => servos.has(actuator))) continue;
    const forces = drives.map(({ actuator, range: [lower, upper] = [-Infinity, Infinity], gain, gear }) => {
      // A servo pushes by how far it is from its target, a motor by its control.
      const most = servos.has(actuator) ? upper - lower : Math.max(Math.abs(lower), Math.abs(upper));
      return Math.abs(gear) * Math.min(Math.abs(gain) * most, simulator.forceLimitOf(actuator));
    });
    const sum = forces.reduce((total, force) => total + force, 0);
    strengths.set(joint, Math.min(sum, simulator.effortLimitOf(joint)));
  }
  return strengths;
}
