import { jointMotion } from '../model/kinematics.ts';
import { IDENTITY, multiply, translation } from '../model/matrix.ts';
import type { Body, Joint, Mechanism } from '../model/mechanism.ts';

/**
 * The same mechanism for formats in which a link hangs on one joint: bodies that weigh nothing carry the others. All joints
 * are at zero in the poses. `isCentred`: joints have to be at the origin of what hangs on them, too.
 */
export function withOneJointPerBody(mechanism: Mechanism, isCentred: boolean): Mechanism {
  const names = new Set(mechanism.bodies.map(({ name }) => name));
  const nameFor = (joint: Joint) => {
    let name = `${joint.name}_link`;
    while (names.has(name)) name += '_';
    names.add(name);
    return name;
  };
  return { ...mechanism, bodies: mechanism.bodies.flatMap((body) => chainOf(body, isCentred, nameFor)) };
}

function chainOf(body: Body, isCentred: boolean, nameFor: (joint: Joint) => string): Body[] {
  const { joints } = body;
  const chain: Body[] = [];
  let [parent, pose] = [body.parent, body.pose];
  for (const [index, joint] of joints.entries()) {
    if (joint.type === 'free') return [body];
    const [x, y, z] = joint.anchor;
    const toJoint = multiply(multiply(pose, translation(x, y, z)), atZero(joint));
    const centred: Joint = { ...joint, anchor: [0, 0, 0], reference: 0 };
    const isLast = index === joints.length - 1;
    if (isLast && !isCentred) {
      const placed = multiply(toJoint, translation(-x, -y, -z));
      return [...chain, { ...body, parent, pose: placed, joints: [{ ...joint, reference: 0 }] }];
    }
    if (isLast && x === 0 && y === 0 && z === 0)
      return [...chain, { ...body, parent, pose: toJoint, joints: [centred] }];
    const name = nameFor(joint);
    chain.push({ name, parent, pose: toJoint, joints: [centred], inertial: undefined, shapes: [] });
    [parent, pose] = [name, translation(-x, -y, -z)];
  }
  return [...chain, { ...body, parent, pose, joints: [] }];
}

function atZero(joint: Joint) {
  if (joint.type === 'ball') return IDENTITY;
  return jointMotion({ ...joint, anchor: [0, 0, 0] }, 0);
}
