import type { Vector3 } from '../model/matrix.ts';
import { named } from '../named.ts';
import type { RobotJoint } from './robot-joint.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { numbersOf, textOf } from './values.ts';

/** One way in which a joint lets bodies move. */
export interface Freedom {
  readonly type: 'hinge' | 'slide';
  readonly axis: Vector3;
  /** In radians or metres, one of them infinite if there is only the other; undefined without any. */
  readonly limits: readonly [lower: number, upper: number] | undefined;
  /** What drives are called that act on it: `angular`, `linear`, or as `rotX` where a joint can have several. */
  readonly drive: string;
}

/** How a joint lets bodies move: along and around axes one after the other, around a point, or as is not known here. */
export interface JointMotion {
  readonly freedoms: readonly Freedom[];
  readonly kind: 'axes' | 'ball' | 'unknown';
  /** The value that is both its lower and its upper limit. */
  readonly lockedAt?: { readonly type: 'hinge' | 'slide'; readonly value: number; readonly axis: Vector3 };
}

const AXES: Readonly<Record<string, Vector3>> = named({ X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1] });
const TRANSLATIONS = ['transX', 'transY', 'transZ'];
const ROTATIONS = ['rotX', 'rotY', 'rotZ'];

/** Reads how a joint of UsdPhysics moves; undefined for other prims, and for a joint that holds nothing. */
export function motionOfJoint(prim: UsdPrim, metersPerUnit: number): JointMotion | undefined {
  switch (prim.typeName) {
    case 'PhysicsRevoluteJoint':
      return singleAxis(prim, 'hinge', Math.PI / 180);
    case 'PhysicsPrismaticJoint':
      return singleAxis(prim, 'slide', metersPerUnit);
    case 'PhysicsFixedJoint':
      return { kind: 'axes', freedoms: [] };
    case 'PhysicsSphericalJoint':
      return { kind: 'ball', freedoms: [] };
    case 'PhysicsDistanceJoint':
      return { kind: 'unknown', freedoms: [] };
    case 'PhysicsJoint':
      return severalAxes(prim, metersPerUnit);
    default:
      return undefined;
  }
}

function singleAxis(prim: UsdPrim, type: 'hinge' | 'slide', unit: number): JointMotion {
  const axis = AXES[textOf(prim.value('physics:axis')) ?? 'X'] ?? [1, 0, 0];
  const ends = rangeOf(prim, 'physics:lowerLimit', 'physics:upperLimit', unit);
  const drive = type === 'hinge' ? 'angular' : 'linear';
  if (!isLocked(ends)) return { kind: 'axes', freedoms: [{ type, axis, drive, limits: limited(ends) }] };
  const [value, upper] = ends;
  return {
    kind: 'axes',
    freedoms: [],
    ...(value === upper && Number.isFinite(value) && { lockedAt: { type, axis, value } }),
  };
}

/** A joint that can do everything except what it locks. */
function severalAxes(prim: UsdPrim, metersPerUnit: number): JointMotion | undefined {
  const freedoms = [...TRANSLATIONS, ...ROTATIONS].flatMap((drive): Freedom[] => {
    const type = drive.startsWith('rot') ? 'hinge' : 'slide';
    const unit = type === 'hinge' ? Math.PI / 180 : metersPerUnit;
    const isLimited = prim.schemas.includes(`PhysicsLimitAPI:${drive}`);
    const ends = isLimited
      ? rangeOf(prim, `limit:${drive}:physics:low`, `limit:${drive}:physics:high`, unit)
      : FREE;
    return isLocked(ends)
      ? []
      : [{ type, axis: AXES[drive.slice(-1)] as Vector3, drive, limits: limited(ends) }];
  });
  const isFree = freedoms.every(({ limits }) => limits === undefined);
  if (isFree && freedoms.length === 6) return undefined;
  const isBall = isFree && freedoms.map(({ drive }) => drive).join() === ROTATIONS.join();
  return isBall ? { kind: 'ball', freedoms: [] } : { kind: 'axes', freedoms };
}

type Range = readonly [lower: number, upper: number];
const FREE: Range = [-Infinity, Infinity];

function rangeOf(prim: UsdPrim, lower: string, upper: string, unit: number): Range {
  const end = (name: string, standard: number) => {
    const [value = standard] = Array.from(numbersOf(prim.value(name)) ?? []);
    return Number.isNaN(value) ? standard : value * unit;
  };
  return [end(lower, -Infinity), end(upper, Infinity)];
}

/** A lower limit that is not below the upper one holds what it limits. */
function isLocked([lower, upper]: Range): boolean {
  return !(lower < upper);
}

function limited(range: Range): Range | undefined {
  return range.some(Number.isFinite) ? range : undefined;
}

/** A joint as programs know it that have those with one axis only. */
export function singleMotion({ kind, freedoms }: JointMotion): Pick<RobotJoint, 'type' | 'axis' | 'limits'> {
  const [first] = freedoms;
  if (kind === 'axes' && first !== undefined && freedoms.length === 1) return first;
  return {
    type: kind === 'axes' && first === undefined ? 'fixed' : 'other',
    axis: [1, 0, 0],
    limits: undefined,
  };
}
