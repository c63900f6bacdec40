import { compose, IDENTITY, type Matrix4, multiply, rotation, translation } from './matrix.ts';
import type { Body, Joint, Mechanism } from './mechanism.ts';

/**
 * Values of joints by their names: radians or metres, the rotation of a ball. Of a free joint the frame of its body in the
 * world, by the name of the body.
 */
export type Configuration = ReadonlyMap<string, number | Matrix4>;

/** The frames of all bodies in the world. Joints without a value are at their reference. */
export function placeBodies(
  { bodies }: Pick<Mechanism, 'bodies'>,
  configuration: Configuration,
): Map<string, Matrix4> {
  const placed = new Map<string, Matrix4>();
  for (const body of bodies) {
    const base = body.parent === undefined ? IDENTITY : (placed.get(body.parent) ?? IDENTITY);
    placed.set(body.name, multiply(base, frameInParent(body, configuration)));
  }
  return placed;
}

function frameInParent({ name, pose, joints }: Body, configuration: Configuration): Matrix4 {
  return joints.reduce((frame, joint) => {
    if (joint.type !== 'free') return multiply(frame, jointMotion(joint, configuration.get(joint.name)));
    const free = configuration.get(name);
    return typeof free === 'object' ? free : frame;
  }, pose);
}

/** What a joint does to the frame of its body at a value, which is its reference if undefined. */
export function jointMotion(joint: Joint, value: number | Matrix4 | undefined): Matrix4 {
  const { type, anchor, axis, reference } = joint;
  if (value === undefined) return IDENTITY;
  if (typeof value === 'object') return around(anchor, value);
  const moved = value - reference;
  if (type === 'slide') return translation(axis[0] * moved, axis[1] * moved, axis[2] * moved);
  return around(anchor, rotation(axis, moved));
}

function around([x, y, z]: Joint['anchor'], turn: Matrix4): Matrix4 {
  if (x === 0 && y === 0 && z === 0) return turn;
  return multiply(multiply(translation(x, y, z), turn), translation(-x, -y, -z));
}

/** All free bodies at the origin, where formats without a place for them begin, and joints at their reference. */
export function atOrigin({ bodies }: Mechanism): Configuration {
  return new Map(
    bodies.flatMap(({ name: body, joints }) =>
      joints.map(({ name, type, reference }): [string, number | Matrix4] => {
        if (type === 'free') return [body, IDENTITY];
        return [name, type === 'ball' ? IDENTITY : reference];
      }),
    ),
  );
}

/** From here on a number stands for no limit, in formats without infinity. */
const UNLIMITED = 1e9;

/** A number that may be infinite as formats without infinity have it. */
export function finite(value: number): number {
  return Math.min(UNLIMITED, Math.max(-UNLIMITED, value));
}

/** How far joints go from where they have no limit, in radians or metres. */
const REACH = { hinge: Math.PI, slide: 1 } as const;

/** The values between which a joint is moved. */
export function reachOf(
  type: keyof typeof REACH,
  [lower, upper]: NonNullable<Joint['limits']> = [-Infinity, Infinity],
): readonly [lower: number, upper: number] {
  const first = Number.isFinite(lower) ? lower : Math.min(-REACH[type], upper - REACH[type]);
  return [first, Number.isFinite(upper) ? upper : Math.max(REACH[type], first + REACH[type])];
}

/** A value for each joint, within its limits; joints that follow others do so. `random` returns numbers from 0 to 1. */
export function randomConfiguration({ bodies }: Mechanism, random: () => number): Configuration {
  const values = new Map<string, number | Matrix4>();
  const followers: Joint[] = [];
  for (const { name: body, joints } of bodies) {
    for (const joint of joints) {
      const { name, type, limits, mimics } = joint;
      if (type === 'free') values.set(body, randomFrame(random, 1));
      else if (type === 'ball') values.set(name, randomFrame(random, 0));
      else if (mimics !== undefined) followers.push(joint);
      else {
        const [lower, upper] = reachOf(type, limits);
        values.set(name, lower + random() * (upper - lower));
      }
    }
  }
  follow(values, followers);
  return values;
}

/** Adds the values of joints that follow others, which may do so themselves. */
function follow(values: Map<string, number | Matrix4>, followers: readonly Joint[]): void {
  for (let round = 0; round <= followers.length; round++) {
    const waiting = followers.filter(({ name }) => !values.has(name));
    if (waiting.length === 0) break;
    for (const { name, mimics } of waiting) {
      const leader = values.get(mimics?.joint ?? '');
      if (typeof leader === 'number' && mimics !== undefined)
        values.set(name, mimics.multiplier * leader + mimics.offset);
    }
  }
}

/** Bodies where they are, and joints at their reference or, if that is outside of their limits, in the middle of these. */
export function atRest({ bodies }: Pick<Mechanism, 'bodies'>): Configuration {
  const values = new Map<string, number | Matrix4>();
  for (const { name: body, pose, joints } of bodies) {
    for (const { name, type, reference, limits, mimics } of joints) {
      if (type === 'free') values.set(body, pose);
      else if (type === 'ball') values.set(name, IDENTITY);
      else if (mimics === undefined) {
        values.set(name, limits === undefined ? reference : restBetween(limits, reference));
      }
    }
  }
  follow(
    values,
    bodies.flatMap(({ joints }) => joints.filter(({ mimics }) => mimics !== undefined)),
  );
  return values;
}

/** The reference of a joint or, if that is outside of its limits, what is in the middle of these. */
function restBetween([lower, upper]: readonly [number, number], reference: number): number {
  if (lower > upper || (lower <= reference && reference <= upper)) return reference;
  if (Number.isFinite(lower) && Number.isFinite(upper)) return (lower + upper) / 2;
  return reference < lower ? lower : upper;
}

/** Turned at random (Shoemake), and moved by up to `reach` along each axis. */
function randomFrame(random: () => number, reach: number): Matrix4 {
  const [a, b, c] = [random(), 2 * Math.PI * random(), 2 * Math.PI * random()];
  const [s, t] = [Math.sqrt(1 - a), Math.sqrt(a)];
  const along = () => reach * (2 * random() - 1);
  return compose(
    [along(), along(), along()],
    [s * Math.sin(b), s * Math.cos(b), t * Math.sin(c), t * Math.cos(c)],
    [1, 1, 1],
  );
}
