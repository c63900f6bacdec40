import type { SimulationProblem } from '@bindery/formats';
import { collides } from './geoms.ts';
import { type LimitedJoint, limitedJoints, rangeOf, singleJoints } from './joints.ts';
import { inertiaProblems, massProblems } from './mass-findings.ts';
import { rounded, tuple, vector } from './memory.ts';
import { diagonalOf, type RigidGroup, rigidGroups, union } from './rigid-groups.ts';
import type { Simulator } from './simulator.ts';

/** What is wrong with the masses, limits, shapes and world of a model, whatever it does. */
export function modelProblems(simulator: Simulator): SimulationProblem[] {
  simulator.reset(-1);
  const groups = rigidGroups(simulator);
  return [
    ...groups.flatMap((group) => massProblems(simulator, group)),
    ...inertiaProblems(simulator),
    ...limitsProblems(simulator),
    ...sizeProblems(groups),
    ...collisionProblems(simulator, groups),
    ...gravityProblems(simulator),
  ];
}

/** In radians: more than one turn, and more than two. */
const ONE_TURN = 2 * Math.PI + 0.01;
const MANY_TURNS = 4 * Math.PI;
/** What people write for "without limit". */
const NO_LIMIT = 1_000;
/** In metres, as a part of the model's size. */
const MAX_SLIDE = 100;
const DEGREE = Math.PI / 180;
/** In radians: what two turns become if radians are read as degrees. */
const TINY = 4 * Math.PI * DEGREE;

/** Finds limits in a wrong unit, and those that are the wrong way round, with which MuJoCo lets a joint go anywhere. */
function limitsProblems(simulator: Simulator): SimulationProblem[] {
  const { model } = simulator;
  const joints = limitedJoints(simulator);
  const hinges = joints.filter(({ isHinge }) => isHinge);
  const areAllTiny = hinges.length > 1 && hinges.every(isTiny) && !hinges.every(isMeant);
  return [
    ...joints.flatMap((joint): SimulationProblem[] => {
      const asked = joint.isHinge
        ? isManyTurns(joint)
          ? 'rad: are these degrees?'
          : areAllTiny || (isTiny(joint) && isFractionOfTurn(joint))
            ? 'rad: are radians read as degrees?'
            : undefined
        : isTooFar(joint, model.stat.extent)
          ? 'm: are these millimetres?'
          : undefined;
      const message = `${joint.name} moves from ${rangeOf(joint)} ${asked}`;
      return asked === undefined ? [] : [{ code: 'limits-implausible', message }];
    }),
    ...singleJoints(simulator).flatMap((joint): SimulationProblem[] => {
      const [lower = 0, upper = 0] = tuple(model.jnt_range, joint, 2);
      if (lower <= upper) return [];
      const message = `${simulator.nameOf('joint', joint)} has its lower limit ${rounded(lower)} above its upper ${rounded(upper)}, so that nothing limits it`;
      return [{ code: 'joint-limits-reversed', message }];
    }),
  ];
}

function isTiny({ lower, upper }: LimitedJoint): boolean {
  return upper - lower < TINY;
}

/** Degrees are written as whole numbers, and turns of winches as multiples of half a turn. */
function isManyTurns({ lower, upper }: LimitedJoint): boolean {
  const ends = [lower, upper].filter((end) => end !== 0);
  const most = Math.max(...ends.map(Math.abs));
  if (most >= NO_LIMIT || ends.every((end) => isMultiple(end, Math.PI, 1e-4))) return false;
  return most > MANY_TURNS || (most > ONE_TURN && ends.every(Number.isInteger));
}

/** Whether limits are round numbers in degrees or radians, as those are that people mean. */
function isMeant({ lower, upper }: LimitedJoint): boolean {
  return [lower, upper].every(
    (end) => isMultiple(end / DEGREE, 1, 1e-6) || Math.abs(end - Number(end.toPrecision(2))) < 1e-9,
  );
}

/** Whether a limit looks in degrees as radians do: 1.57, 0.785, 3.14. */
function isFractionOfTurn(joint: LimitedJoint): boolean {
  const ends = [joint.lower, joint.upper].map((end) => end / DEGREE).filter((end) => end !== 0);
  return !isMeant(joint) && ends.some((end) => isMultiple(end, Math.PI / 12, 3e-3));
}

function isMultiple(value: number, of: number, tolerance: number): boolean {
  return Math.abs(value - Math.round(value / of) * of) <= tolerance * Math.abs(value);
}

function isTooFar({ lower, upper }: LimitedJoint, size: number): boolean {
  return upper - lower > MAX_SLIDE * size && Math.max(Math.abs(lower), Math.abs(upper)) < NO_LIMIT;
}

/** In metres: insects are larger, and cranes and wind turbines smaller. */
const MIN_SIZE = 0.001;
const MAX_SIZE = 250;

/** Finds models whose unit of length is another one. */
function sizeProblems(groups: readonly RigidGroup[]): SimulationProblem[] {
  const sizes = [...Map.groupBy(groups, ({ root }) => root).values()].map((tree) => ({
    name: tree[0]?.name ?? '',
    size: diagonalOf(union(tree.map(({ box }) => box))),
  }));
  const largest = sizes.toSorted((one, other) => other.size - one.size)[0];
  if (largest === undefined || (largest.size >= MIN_SIZE && largest.size <= MAX_SIZE)) return [];
  const message = `${largest.name} and what hangs on it are ${rounded(largest.size)} m large: are its lengths in another unit?`;
  return [{ code: 'size-implausible', message }];
}

/** The bit of mjtDisableBit. */
const WITHOUT_CONTACT = 16;

/** Finds models in MJCF of several parts that pass through everything, although nothing says that contacts are off. */
function collisionProblems(
  { model, isConverted }: Simulator,
  groups: readonly RigidGroup[],
): SimulationProblem[] {
  const shapes = groups.flatMap(({ geoms }) => geoms);
  const hasContacts = shapes.some((geom) => collides(model, geom));
  const isMeant = (model.opt.disableflags & WITHOUT_CONTACT) !== 0 || model.npair > 0;
  if (isConverted || groups.length < 2 || hasContacts || isMeant) return [];
  const message = `none of the ${shapes.length} shapes of its ${groups.length} moving bodies collides with anything`;
  return [{ code: 'nothing-collides', message }];
}

/** In metres per second squared. */
const MIN_GRAVITY = 1;
const MAX_GRAVITY = 30;

function gravityProblems({ model }: Simulator): SimulationProblem[] {
  const gravity = vector(model.opt.gravity, 0);
  const strength = Math.hypot(...gravity);
  const isDown = -gravity[2] > strength / 2;
  if (strength === 0 || (isDown && strength > MIN_GRAVITY && strength < MAX_GRAVITY)) return [];
  const message = `gravity is ${gravity.map(rounded).join(' ')} m/s²; Z points up`;
  return [{ code: 'gravity-unusual', message }];
}
