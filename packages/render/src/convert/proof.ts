import type { Loss, ProofLine } from '@bindery/formats';
import {
  type Configuration,
  finite,
  placeBodies,
  randomConfiguration,
} from '@bindery/formats/model/kinematics';
import type { Actuator, Body, Inertial, Joint, Mechanism } from '@bindery/formats/model/mechanism';
import { rigidGroups } from '@bindery/formats/model/tree';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { seeded } from '../random.ts';
import { bodiesWithoutPictures, type ShapesByBody, shapesApart, shapesOf } from './body-shapes.ts';

/** What is compared of a model. */
export interface Subject {
  readonly inertials: ReadonlyMap<string, Inertial>;
  readonly joints: ReadonlyMap<string, JointNumbers>;
  /** The bodies that float. */
  readonly floating: ReadonlySet<string>;
  /** Undefined for a format that has none of it. */
  readonly control?: Pick<Mechanism, 'actuators' | 'excluded' | 'physics'>;
  /** The frames of bodies in the world, by their names; the same map may be filled anew at each call. */
  place(configuration: Configuration): ReadonlyMap<string, ArrayLike<number>>;
  readonly visuals: ShapesByBody;
  /** Undefined for a format that has only what is seen. */
  readonly colliders?: ShapesByBody;
}

type JointNumbers = Omit<Joint, 'name' | 'anchor' | 'axis' | 'reference'>;

const CONFIGURATIONS = 1_000;
const SEED = 1;
const EXACT = 1e-6;

/**
 * Compares a mechanism with what it became, and adds to its losses the pictures that are missing there.
 * @throws Unrenderable with the comparison that fails
 */
export function prove(mechanism: Mechanism, result: Subject): { proof: ProofLine[]; losses: Loss[] } {
  const source = subjectOf(mechanism);
  const lines = [
    ...inertiaLines(source, result),
    ...jointLines(source, result),
    ...controlLines(source, result),
    ...seenLines(source, result),
    ...colliderLines(source, result),
  ];
  lines.push({
    what: `frames of ${mechanism.bodies.length} bodies in ${CONFIGURATIONS} random poses, in metres`,
    measured: largestOffset(mechanism, source, result),
    bound: EXACT,
  });
  check(lines);
  return { proof: lines, losses: [...mechanism.losses, ...pictureLosses(mechanism, source, result)] };
}

/** The bodies whose pictures are missing or others, unless a loss has named one of their shapes. */
function pictureLosses({ bodies, losses }: Mechanism, source: Subject, result: Subject): Loss[] {
  const named = new Set(losses.filter(({ what }) => what === 'texture').flatMap(({ names }) => names));
  const lacking = new Set(bodiesWithoutPictures(source.visuals, result.visuals));
  const names = bodies
    .filter(({ name, shapes }) => lacking.has(name) && !shapes.some((shape) => named.has(shape.name)))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [{ what: 'texture', names, why: 'it does not look the same' }];
}

/** @throws Unrenderable with the first comparison that fails; one that is not a number fails too. */
export function check(lines: readonly ProofLine[]): void {
  const failed = lines.find(({ measured, bound }) => !(measured <= bound));
  if (failed !== undefined) {
    const { what, measured, bound } = failed;
    const difference = `${what} differs by ${measured.toPrecision(3)}, more than ${bound.toPrecision(1)}`;
    throw new Unrenderable(`the conversion is not proved: ${difference}`);
  }
}

/** A mechanism as what can be compared. */
export function subjectOf(mechanism: Mechanism): Subject {
  const { bodies } = mechanism;
  const groups = rigidGroups(bodies);
  const canCollide = ([one, other]: readonly [string, string]) => groups.get(one) !== groups.get(other);
  return {
    inertials: new Map(bodies.flatMap(({ name, inertial }) => (inertial ? [[name, inertial]] : []))),
    joints: new Map(bodies.flatMap(({ joints }) => joints.map((joint) => [joint.name, joint]))),
    floating: new Set(bodies.filter(isFloating).map(({ name }) => name)),
    control: { ...mechanism, excluded: mechanism.excluded.filter(canCollide) },
    place: (configuration) => placeBodies(mechanism, configuration),
    visuals: shapesOf(mechanism, 'visual'),
    colliders: shapesOf(mechanism, 'collision'),
  };
}

function isFloating({ joints }: Pick<Body, 'joints'>): boolean {
  return joints.some(({ type }) => type === 'free');
}

function inertiaLines(source: Subject, result: Subject): ProofLine[] {
  let [mass, center, inertia] = [0, 0, 0];
  for (const name of new Set([...source.inertials.keys(), ...result.inertials.keys()])) {
    const [one, other] = [source.inertials.get(name) ?? NOTHING, result.inertials.get(name) ?? NOTHING];
    mass = Math.max(mass, Math.abs(one.mass - other.mass) / (one.mass || 1));
    if (one.mass > 0) center = Math.max(center, largestDifference(one.center, other.center));
    const [xx, yy, zz] = one.inertia;
    inertia = Math.max(inertia, largestDifference(one.inertia, other.inertia) / (xx + yy + zz || 1));
  }
  return [
    { what: 'masses of bodies, relative', measured: mass, bound: EXACT },
    { what: 'centres of mass, in metres', measured: center, bound: EXACT },
    { what: 'inertias of bodies, relative', measured: inertia, bound: EXACT },
  ];
}

const NOTHING: Inertial = { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] };

function jointLines(source: Subject, result: Subject): ProofLine[] {
  let [limits, dynamics] = [0, 0];
  for (const [name, joint] of source.joints) {
    if (joint.type === 'free') continue;
    const other = result.joints.get(name);
    const hasLeader = other !== undefined && other.mimics?.joint === joint.mimics?.joint;
    limits = Math.max(limits, hasLeader ? largestDifference(limitsOf(joint), limitsOf(other)) : Infinity);
    if (other !== undefined) dynamics = Math.max(dynamics, relative(dynamicsOf(joint), dynamicsOf(other)));
  }
  const floating = source.floating.symmetricDifference(result.floating).size;
  return [
    { what: 'limits, damping and friction of joints', measured: limits, bound: EXACT },
    { what: 'armature, springs, effort and speed of joints, relative', measured: dynamics, bound: EXACT },
    { what: 'bodies that float in one of both', measured: floating, bound: 0 },
  ];
}

function limitsOf({ limits = [-Infinity, Infinity], damping, friction, mimics }: JointNumbers): number[] {
  return [...limits.map(finite), damping, friction, mimics?.multiplier ?? 0, mimics?.offset ?? 0];
}

function dynamicsOf({ armature, stiffness, springReference, effort, velocity }: JointNumbers): number[] {
  const limits = [effort, velocity].map((limit = Infinity) => finite(limit));
  return [armature, stiffness, stiffness === 0 ? 0 : springReference, ...limits];
}

/** Formats can have more of both: URDF and SDFormat imply them. */
function controlLines({ control: source }: Subject, { control: result }: Subject): ProofLine[] {
  if (source === undefined || result === undefined) return [];
  const others = Map.groupBy(result.actuators, ({ joint }) => joint);
  let measured = 0;
  for (const [joint, actuators] of Map.groupBy(source.actuators, (one) => one.joint))
    for (const [at, actuator] of actuators.entries()) {
      const other = others.get(joint)?.[at];
      const isAlike = other?.type === actuator.type;
      measured = Math.max(measured, isAlike ? relative(gainsOf(actuator), gainsOf(other)) : Infinity);
    }
  const keyOf = (pair: readonly [string, string]) => pair.toSorted().join(' ');
  const excluded = new Set(result.excluded.map(keyOf));
  const gravity = relative(source.physics.gravity, result.physics.gravity);
  return [
    { what: 'gravity, relative', measured: gravity, bound: EXACT },
    { what: 'gains and limits of actuators, relative', measured, bound: EXACT },
    {
      what: 'pairs of bodies that collide only in one of both',
      measured: source.excluded.filter((pair) => !excluded.has(keyOf(pair))).length,
      bound: 0,
    },
  ];
}

function gainsOf({ range, forceRange, gear, kp, kv }: Actuator): number[] {
  const unlimited = [-Infinity, Infinity];
  return [...(range ?? unlimited), ...(forceRange ?? unlimited), gear, kp, kv];
}

function relative(one: readonly number[], other: readonly number[]): number {
  const scaled = (values: readonly number[]) => values.map((value, at) => value / scaleAt(at));
  const scaleAt = (at: number) => Math.max(1, Number.isFinite(one[at]) ? Math.abs(one[at] ?? 0) : 1);
  return largestDifference(scaled(one), scaled(other));
}

function seenLines({ visuals: source }: Subject, { visuals: result }: Subject): ProofLine[] {
  const trianglesOf = (shapes: ShapesByBody) =>
    shapes.values().reduce((sum, { triangles }) => sum + triangles, 0);
  return [
    {
      what: 'triangles seen',
      measured: Math.abs(trianglesOf(source) - trianglesOf(result)),
      bound: 0,
    },
    {
      what: 'kinds, sizes, places and winding of what is seen, relative',
      measured: shapesApart(source, result),
      bound: EXACT,
    },
  ];
}

function colliderLines(source: Subject, result: Subject): ProofLine[] {
  if (source.colliders === undefined || result.colliders === undefined) return [];
  const measured = shapesApart(source.colliders, result.colliders);
  return [{ what: 'kinds, sizes, places and winding of collision shapes, relative', measured, bound: EXACT }];
}

function largestOffset(mechanism: Mechanism, source: Subject, result: Subject): number {
  const random = seeded(SEED);
  let largest = 0;
  for (let count = 0; count < CONFIGURATIONS; count++) {
    const configuration = randomConfiguration(mechanism, random);
    const frames = result.place(configuration);
    for (const [name, frame] of source.place(configuration)) {
      const other = frames.get(name);
      if (other === undefined) return Number.POSITIVE_INFINITY;
      largest = Math.max(largest, largestDifference(frame, other));
    }
  }
  return largest;
}

/** Of numbers in the same places. */
export function largestDifference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let largest = 0;
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] as number, other[at] as number];
    if (a !== b) largest = Math.max(largest, Math.abs(a - b));
  }
  return largest;
}
