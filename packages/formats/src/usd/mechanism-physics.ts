import { turnedInertia } from '../model/inertia.ts';
import { compose, multiply, scaleOf } from '../model/matrix.ts';
import type { Actuator, Inertial, Joint } from '../model/mechanism.ts';
import { stageFrame } from './physics.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { isDictionary, type UsdValue } from './stage/values.ts';
import { quaternionOf, worldTransform } from './transforms.ts';
import { numberOf, numbersOf, textOf, vectorOf } from './values.ts';

/** What numbers of a stage are in metres and kilograms. */
export class UsdUnits {
  readonly kilograms: number;
  readonly metres: number;
  readonly #stage: UsdStage;

  constructor(stage: UsdStage) {
    this.#stage = stage;
    this.kilograms = stage.kilogramsPerUnit;
    this.metres = stage.metersPerUnit;
  }

  /** How long a length of 1 in the frame of a prim is. */
  lengthIn(prim: UsdPrim): number {
    return scaleOf(multiply(stageFrame(this.#stage), worldTransform(prim)));
  }
}

/** The mass that a body is said to have; undefined, and reported, if it would follow from its shapes. */
export function readInertial(
  prim: UsdPrim,
  units: UsdUnits,
  report: (why: string) => void,
): Inertial | undefined {
  const mass = (numberOf(prim.value('physics:mass')) ?? 0) * units.kilograms;
  if (!(mass > 0)) {
    report('the file does not say it, so that simulators take it from the shapes');
    return undefined;
  }
  const length = units.lengthIn(prim);
  const [x = 0, y = 0, z = 0] = vectorOf(prim.value('physics:centerOfMass')) ?? [];
  const factor = units.kilograms * units.metres ** 2;
  const [xx = 0, yy = 0, zz = 0] = vectorOf(prim.value('physics:diagonalInertia')) ?? [];
  const turn = compose(
    [0, 0, 0],
    quaternionOf(numbersOf(prim.value('physics:principalAxes')) ?? [], 0),
    [1, 1, 1],
  );
  return {
    mass,
    center: [x * length, y * length, z * length],
    inertia: turnedInertia([xx * factor, yy * factor, zz * factor, 0, 0, 0], turn),
  };
}

type Dynamics = Partial<
  Pick<
    Joint,
    'damping' | 'friction' | 'armature' | 'stiffness' | 'springReference' | 'effort' | 'velocity' | 'mimics'
  >
>;

const DEGREES = 180 / Math.PI;

/** What brakes and drives a joint: its drive, and what a conversion to USD kept as custom data. */
export function readDynamics(
  prim: UsdPrim,
  { name, type }: Pick<Joint, 'name' | 'type'>,
  { kilograms, metres }: UsdUnits,
): { dynamics: Dynamics; actuator: Actuator | undefined } {
  const data = keptData(prim);
  const kept = dynamicsIn(data);
  const isHinge = type === 'hinge';
  const drive = (what: string) =>
    numberOf(prim.value(`drive:${isHinge ? 'angular' : 'linear'}:physics:${what}`));
  const gain = isHinge ? DEGREES * kilograms * metres ** 2 : kilograms;
  const [kp, kv] = [(drive('stiffness') ?? 0) * gain, (drive('damping') ?? 0) * gain];
  const most = drive('maxForce');
  const force = most === undefined ? undefined : most * kilograms * metres ** (isHinge ? 2 : 1);
  // A drive as stiff as the spring of the joint is that spring.
  const isServo = kp > 0 && !(Math.abs(kp - (kept.stiffness ?? 0)) <= 1e-6 * kp);
  const damping = kept.damping ?? (isServo ? 0 : kv);
  const ownGain = kv - damping > 1e-6 * kv ? kv - damping : 0;
  const isDriven = isServo || ownGain > 0;
  const actuator: Actuator = {
    name,
    joint: name,
    type: isServo ? 'position' : 'velocity',
    range: rangeIn(data),
    forceRange: force === undefined ? undefined : [-force, force],
    gear: 1,
    kp: isServo ? kp : 0,
    kv: ownGain,
  };
  const effort = isDriven ? undefined : force;
  return { dynamics: { ...kept, damping, effort }, actuator: isDriven ? actuator : undefined };
}

/** What a conversion to USD kept of the joint of a body that floats. */
export function readFreedom(prim: UsdPrim): Dynamics {
  return dynamicsIn(keptData(prim));
}

type Dictionary = { readonly [key: string]: UsdValue };

/** What a conversion to USD kept of a joint for which USD has no schema. */
function keptData(prim: UsdPrim): Dictionary {
  const data = prim.metadata('customData');
  const own = isDictionary(data) ? data.bindery : undefined;
  return isDictionary(own) ? own : {};
}

function dynamicsIn(data: Dictionary): Dynamics {
  const names = ['damping', 'friction', 'armature', 'stiffness', 'springReference', 'velocity'] as const;
  const numbers = names.flatMap((key) => {
    const number = numberOf(data[key]);
    return number === undefined ? [] : [[key, number]];
  });
  const joint = textOf(data.mimics);
  const coupling = { multiplier: numberOf(data.multiplier) ?? 1, offset: numberOf(data.offset) ?? 0 };
  return { ...Object.fromEntries(numbers), ...(joint !== undefined && { mimics: { joint, ...coupling } }) };
}

function rangeIn(data: Dictionary): Actuator['range'] {
  const [lower, upper] = Array.from(numbersOf(data.controlRange) ?? []);
  return lower === undefined || upper === undefined ? undefined : [lower, upper];
}
