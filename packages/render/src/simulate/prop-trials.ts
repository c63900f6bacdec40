import type { Loss, ProofLine, Simulation } from '@bindery/formats';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { IDENTITY, subtract, translation, type Vector3 } from '@bindery/formats/model/matrix';
import {
  type Actuator,
  type Body,
  type Mechanism,
  PLAIN_JOINT,
  type Shape,
} from '@bindery/formats/model/mechanism';
import { WORLD } from '@bindery/formats/model/tree';
import { rounded, vector } from './memory.ts';
import { simulateFiles, withModelOf } from './simulate-files.ts';
import { Simulator } from './simulator.ts';

/** A rigid body that floats, and the box around it. */
export interface PropToTry {
  readonly mechanism: Mechanism;
  readonly mass: number;
  readonly box: readonly [low: Vector3, high: Vector3];
}

export interface PropTrials extends Pick<Simulation, 'problems' | 'mujoco'> {
  readonly proof: readonly ProofLine[];
  /** What it cannot do, as a ball cannot stand in a stack. */
  readonly losses: readonly Loss[];
}

/** From where it falls, of its longest side; and how fast it may be after it, in m/s. */
const FALL = 0.25;
const AT_REST = 0.01;

const STACKED = 3;
const STACK_SECONDS = 3;
/** How far a thing in a stack, or between plates, may get away from its place, of its longest side. */
const AWAY = 0.1;
/** Between things that are not to touch yet, of the longest side. */
const GAP = 0.005;

/** How long plates close before gravity begins, and how long they hold. */
const [CLOSING_SECONDS, HOLD_SECONDS] = [1, 1];
/** The friction of both plates at most, of the weight. */
const GRIP = 4;
const GRAVITY = 9.81;
/** Of MuJoCo, where nobody says it. */
const STANDARD_FRICTION = 1;

/** Lets a prop fall, stacks three of it, and holds it between two plates, in MuJoCo. */
export async function tryProp(prop: PropToTry): Promise<PropTrials> {
  const side = sideOf(prop);
  const fallen = await simulateFiles(await writeMjcf(sceneOf(prop, [FALL * side])), MJCF_ENTRY);
  const { problems, mujoco } = fallen;
  const energy = fallen.rest?.energy.at(-1) ?? 0;
  const trials = [
    {
      what: 'fall',
      line: {
        what: `the speed ten seconds after a fall of ${rounded(FALL * side)} m, in m/s`,
        measured: Math.sqrt((2 * energy) / prop.mass),
        bound: AT_REST,
      },
      otherwise: (speed: number) => `it does not come to rest: ${speed} m/s ten seconds after its fall`,
    },
    {
      what: 'stack of three',
      line: {
        what: `how far aside one in a stack of three gets in ${STACK_SECONDS} s, of its length`,
        measured: await stacked(prop, side),
        bound: AWAY,
      },
      otherwise: (moved: number) =>
        `three of it do not stand on each other: one gets aside by ${moved} of its length`,
    },
    {
      what: 'grasp',
      line: {
        what: `how far it slips in ${HOLD_SECONDS} s between two plates, of its length`,
        measured: Math.min(await grasped(prop, side, 0), await grasped(prop, side, 1)),
        bound: AWAY,
      },
      otherwise: (moved: number) => `two plates do not hold it: it slips by ${moved} of its length`,
    },
  ];
  return {
    problems,
    mujoco,
    proof: trials.map(({ line }) => line).filter(holds),
    losses: trials
      .filter(({ line }) => !holds(line))
      .map(({ what, line, otherwise }) => ({ what, names: [], why: otherwise(rounded(line.measured)) })),
  };
}

function holds({ measured, bound }: ProofLine): boolean {
  return measured <= bound;
}

function sideOf({ box: [low, high] }: PropToTry): number {
  return Math.max(...subtract(high, low));
}

async function stacked(prop: PropToTry, side: number): Promise<number> {
  const [low, high] = prop.box;
  const step = high[2] - low[2] + GAP * side;
  const heights = Array.from({ length: STACKED }, (_, place) => GAP * side + place * step);
  return (await movement(sceneOf(prop, heights), STACKED, STACK_SECONDS, 2)) / side;
}

/** Plates close along an axis in empty space, and hold against gravity. */
async function grasped(prop: PropToTry, side: number, axis: 0 | 1): Promise<number> {
  const { mechanism, mass, box } = prop;
  const [body] = copiesOf(prop, [0]);
  const friction = body?.shapes[0]?.friction ?? STANDARD_FRICTION;
  const force = (GRIP * mass * GRAVITY) / (2 * friction);
  const plates = [0, 1].map((which) => plate(box, axis, which as 0 | 1, { side, mass, friction, force }));
  const scene = {
    ...mechanism,
    bodies: [...(body ? [body] : []), ...plates],
    actuators: plates.map(({ name }): Actuator => ({ ...MOTOR, name, joint: name })),
  };
  const close = (simulator: Simulator) => {
    const { model, data } = simulator;
    for (let motor = 0; motor < plates.length; motor++) (data.ctrl as number[])[motor] = force;
    const gravity = model.opt.gravity as number[];
    gravity[2] = 0;
    simulator.run(CLOSING_SECONDS);
    gravity[2] = -GRAVITY;
  };
  return (await movement(scene, 1, HOLD_SECONDS, 3, close)) / side;
}

const MOTOR = { type: 'motor', range: undefined, forceRange: undefined, gear: 1, kp: 0, kv: 0 } as const;

function plate(
  [low, high]: PropToTry['box'],
  axis: 0 | 1,
  which: 0 | 1,
  { side, mass, friction, force }: Record<'side' | 'mass' | 'friction' | 'force', number>,
): Body {
  const thickness = side / 4;
  const place = low.map((value, at) => (value + (high[at] ?? 0)) / 2) as [number, number, number];
  const away = thickness / 2 + GAP * side;
  place[axis] = which === 0 ? low[axis] - away : high[axis] + away;
  const size: [number, number, number] = [2 * side, 2 * side, 2 * side];
  size[axis] = thickness;
  const inward: [number, number, number] = [0, 0, 0];
  inward[axis] = which === 0 ? 1 : -1;
  const name = `plate_${which}`;
  // As fast as its own length in a second at most.
  const joint = { ...PLAIN_JOINT, name, type: 'slide' as const, axis: inward, damping: force / side };
  const inertia = (mass * (4 * side * side)) / 6;
  return {
    name,
    parent: undefined,
    pose: translation(...place),
    joints: [joint],
    inertial: { mass, center: [0, 0, 0], inertia: [inertia, inertia, inertia, 0, 0, 0] },
    shapes: [{ ...COLLIDER, name, form: { type: 'box', size }, friction }],
  };
}

const COLLIDER = { role: 'collision', pose: IDENTITY, material: undefined } as const;

/** Copies of a prop at heights above a floor that it stands on. */
function sceneOf(prop: PropToTry, heights: readonly number[]): Mechanism {
  const friction = prop.mechanism.bodies[0]?.shapes.find(({ role }) => role === 'collision')?.friction;
  const floor: Shape = { ...COLLIDER, name: 'floor', form: { type: 'plane' }, friction };
  const world: Body = {
    name: WORLD,
    parent: undefined,
    pose: translation(0, 0, prop.box[0][2]),
    joints: [],
    inertial: undefined,
    shapes: [floor],
  };
  return { ...prop.mechanism, bodies: [world, ...copiesOf(prop, heights)] };
}

function copiesOf({ mechanism }: PropToTry, heights: readonly number[]): Body[] {
  return heights.flatMap((height, copy) =>
    mechanism.bodies.map((body) => ({
      ...body,
      name: `${body.name}_${copy}`,
      pose: translation(0, 0, height),
      joints: body.joints.map((joint) => ({ ...joint, name: `${joint.name}_${copy}` })),
      shapes: body.shapes
        .filter(({ role }) => role === 'collision')
        .map((shape) => ({ ...shape, name: `${shape.name}_${copy}` })),
    })),
  );
}

/** How far the first bodies of a scene get from their places, in metres along that many axes, after what is done `before`. */
async function movement(
  scene: Mechanism,
  count: number,
  seconds: number,
  axes: 2 | 3,
  before: (simulator: Simulator) => void = () => {},
): Promise<number> {
  return withModelOf(await writeMjcf(scene), MJCF_ENTRY, (mujoco, model) => {
    const simulator = new Simulator(mujoco, model);
    try {
      simulator.reset(-1);
      // What friction holds creeps otherwise.
      model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC.value;
      model.opt.impratio = 10;
      before(simulator);
      const places = () => Array.from({ length: count }, (_, body) => vector(simulator.data.xipos, body + 1));
      const from = places();
      simulator.run(seconds);
      if (simulator.breakdown(seconds) !== undefined) return Number.POSITIVE_INFINITY;
      const to = places();
      const ways = from.map((place, body) => subtract(to[body] ?? place, place).slice(0, axes));
      return Math.max(...ways.map((way) => Math.hypot(...way)));
    } finally {
      simulator.delete();
    }
  });
}
