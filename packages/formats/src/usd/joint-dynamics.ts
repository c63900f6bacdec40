import type { LossList } from '../model/losses.ts';
import type { Actuator, Joint } from '../model/mechanism.ts';
import type { Freedom } from './joints.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { isDictionary, type UsdValue } from './stage/values.ts';
import { numberOf, numbersOf, textOf } from './values.ts';

type Dynamics = Partial<
  Pick<Joint, 'damping' | 'friction' | 'armature' | 'stiffness' | 'springReference' | 'effort' | 'velocity'>
>;

const DEGREE = Math.PI / 180;

/** What the numbers of a joint are in kilograms, metres, radians and seconds. */
interface JointUnits {
  readonly position: number;
  readonly effort: number;
  /** Of what resists a movement by a radian or a metre. */
  readonly inertia: number;
}

function unitsOf(
  { type }: Pick<Freedom, 'type'>,
  { kilogramsPerUnit: kg, metersPerUnit: m }: UsdStage,
): JointUnits {
  return type === 'hinge'
    ? { position: DEGREE, effort: kg * m * m, inertia: kg * m * m }
    : { position: m, effort: kg * m, inertia: kg };
}

/** A freedom of a joint, and the names by which it is known. */
interface Driven {
  readonly freedom: Freedom;
  readonly name: string;
  /** The value of the joint in the pose in which the file has its bodies. */
  readonly rest: number;
}

/** What brakes and drives a joint: its drive, what simulators add to it, and what a conversion to USD kept as custom data. */
export function readDynamics(
  prim: UsdPrim,
  { freedom, name, rest }: Driven,
  stage: UsdStage,
  losses: LossList,
): { dynamics: Dynamics; actuator: Actuator | undefined } {
  const kept = keptDynamics(prim);
  const units = unitsOf(freedom, stage);
  const own = { ...simulated(prim, freedom, units), ...kept };
  if (!prim.schemas.includes(`PhysicsDriveAPI:${freedom.drive}`))
    return { dynamics: own, actuator: undefined };
  const drive = (what: string) => numberOf(prim.value(`drive:${freedom.drive}:physics:${what}`)) ?? 0;
  const most = numberOf(prim.value(`drive:${freedom.drive}:physics:maxForce`));
  const force = most === undefined ? undefined : most * units.effort;
  const perUnit = freedom.type === 'hinge' ? units.effort / DEGREE : units.inertia;
  const [kp, kv] = [drive('stiffness') * perUnit, drive('damping') * perUnit];
  const [target, speed] = [
    drive('targetPosition') * units.position,
    drive('targetVelocity') * units.position,
  ];
  // A drive as stiff as the spring of the joint is that spring.
  const isServo = kp > 0 && !(Math.abs(kp - (kept.stiffness ?? 0)) <= 1e-6 * kp);
  const isBrake = !isServo && speed === 0 && force === undefined;
  const braking = kept.damping ?? (isBrake ? kv : 0);
  const damping = kept.damping ?? (own.damping ?? 0) + braking;
  const ownGain = kv - braking > 1e-6 * kv ? kv - braking : 0;
  const isDriven = isServo || ownGain > 0;
  const lose = (what: string, why: string) => losses.add(`drive:${freedom.drive}:physics:${what}`, name, why);
  if (textOf(prim.value(`drive:${freedom.drive}:physics:type`)) === 'acceleration')
    lose('type', 'it drives with a force and not, as in the file, with an acceleration');
  if (isServo && Math.abs(target - rest) > 1e-6) lose('targetPosition', TARGET);
  if (isDriven && speed !== 0) lose('targetVelocity', TARGET);
  const actuator: Actuator = {
    name,
    joint: name,
    type: isServo ? 'position' : 'velocity',
    range: keptRange(prim),
    forceRange: force === undefined ? undefined : [-force, force],
    gear: 1,
    kp: isServo ? kp : 0,
    kv: ownGain,
  };
  const effort = own.effort ?? (isDriven ? undefined : force);
  return { dynamics: { ...own, damping, effort }, actuator: isDriven ? actuator : undefined };
}

const TARGET = 'actuators have no target of their own, but the control that they are given';

/** What the schemas of Newton, MuJoCo and PhysX say of a joint, in this order. */
function simulated(prim: UsdPrim, { type, drive }: Freedom, units: JointUnits): Dynamics {
  const axis = (what: string) => `physxJointAxis:${drive}:${what}`;
  const first = (...names: string[]) => {
    for (const name of names) {
      const number = numberOf(prim.value(name));
      if (number !== undefined && number > 0) return number;
    }
    return 0;
  };
  const perDegree = type === 'hinge' ? 1 / DEGREE : 1;
  const friction = first(
    'newton:friction',
    'mjc:frictionloss',
    axis('dynamicFrictionEffort'),
    axis('staticFrictionEffort'),
    'physxJoint:jointFriction',
  );
  const armature = first('newton:armature', 'mjc:armature', axis('armature'), 'physxJoint:armature');
  const slowed = first('newton:damping', axis('viscousFrictionCoefficient')) * perDegree;
  const velocity = first('newton:velocityLimit', axis('maxJointVelocity'), 'physxJoint:maxJointVelocity');
  const range = ['min', 'max'].map((end) => numberOf(prim.value(`mjc:actuatorfrcrange:${end}`)) ?? 0);
  const isLimited = textOf(prim.value('mjc:actuatorfrclimited')) !== 'false' && range.some(Boolean);
  const stiffness = first('mjc:stiffness') * units.inertia;
  return {
    armature: armature * units.inertia,
    friction: friction * units.effort,
    damping: (slowed || first('mjc:damping')) * units.inertia,
    stiffness,
    springReference: stiffness === 0 ? 0 : (numberOf(prim.value('mjc:springref')) ?? 0) * units.position,
    velocity: velocity === 0 ? undefined : velocity * units.position,
    effort: isLimited ? Math.max(...range.map(Math.abs)) * units.effort : undefined,
  };
}

type Dictionary = { readonly [key: string]: UsdValue };

/** What a conversion to USD kept of a joint for which USD has no schema. */
export function keptData(prim: UsdPrim): Dictionary {
  const data = prim.metadata('customData');
  const own = isDictionary(data) ? data.bindery : undefined;
  return isDictionary(own) ? own : {};
}

const KEPT = [
  'damping',
  'friction',
  'armature',
  'stiffness',
  'springReference',
  'velocity',
  'effort',
] as const;

/** What a conversion to USD kept of how a joint resists movements. */
export function keptDynamics(prim: UsdPrim): Dynamics {
  const data = keptData(prim);
  const numbers = KEPT.flatMap((key) => {
    const number = numberOf(data[key]);
    return number === undefined ? [] : [[key, number]];
  });
  return Object.fromEntries(numbers);
}

function keptRange(prim: UsdPrim): Actuator['range'] {
  const [lower, upper] = Array.from(numbersOf(keptData(prim).controlRange) ?? []);
  return lower === undefined || upper === undefined ? undefined : [lower, upper];
}
