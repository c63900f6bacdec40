import { IDENTITY, type Matrix4, rotation, translation, unit, type Vector3 } from '../model/matrix.ts';

/** How one link is attached to another. */
export interface RobotJoint {
  readonly name: string;
  readonly type: 'fixed' | 'hinge' | 'slide' | 'other';
  readonly parent: string;
  readonly child: string;
  /** From the frame of the joint to that of its parent. */
  readonly origin: Matrix4;
  /** From the frame of its child to that of the joint, if these differ. */
  readonly childOrigin?: Matrix4;
  /** In the frame of the joint, of any length. */
  readonly axis: Vector3;
  /** In radians or metres; undefined for a joint without limits. */
  readonly limits?: readonly [lower: number, upper: number] | undefined;
  /** Its value in a picture. */
  readonly rest: number;
  /** It follows another joint: `multiplier` times its value, plus `offset`. */
  readonly mimics?:
    | { readonly joint: string; readonly multiplier: number; readonly offset: number }
    | undefined;
}

/** The motion of a joint at a value in radians or metres. */
export function motionOf({ type, axis }: Pick<RobotJoint, 'type' | 'axis'>, value: number): Matrix4 {
  if (value === 0) return IDENTITY;
  switch (type) {
    case 'slide': {
      const [x, y, z] = unit(axis);
      return translation(x * value, y * value, z * value);
    }
    case 'hinge':
      return rotation(axis, value);
    default:
      return IDENTITY;
  }
}
