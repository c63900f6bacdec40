import { compose, type Matrix4, multiply, rollPitchYaw, translation } from '../model/matrix.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';

/** The `<origin>` of a joint, visual, collision or inertial; since URDF 1.1 it can be turned by a quaternion. */
export function originOf(element: XmlElement): Matrix4 {
  const { xyz, rpy, quat_xyzw: quaternion } = childNamed(element, 'origin')?.attributes ?? {};
  const [x = 0, y = 0, z = 0] = numbersOf(xyz, [0, 0, 0]);
  if (quaternion === undefined) {
    const [roll = 0, pitch = 0, yaw = 0] = numbersOf(rpy, [0, 0, 0]);
    return multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw));
  }
  const [i = 0, j = 0, k = 0, w = 1] = numbersOf(quaternion, [0, 0, 0, 1]);
  const length = Math.hypot(i, j, k, w);
  const turn =
    length === 0 ? ([0, 0, 0, 1] as const) : ([i / length, j / length, k / length, w / length] as const);
  return compose([x, y, z], turn, [1, 1, 1]);
}
