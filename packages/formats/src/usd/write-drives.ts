import type { LossList } from '../model/losses.ts';
import type { Actuator, Body, Joint, Mechanism } from '../model/mechanism.ts';
import { addUnevenForce, mostForceOf, scaledRange } from '../writing/control.ts';

/** A mechanism whose joints have one servo at most, as a drive of USD is one; what drives them otherwise is named. */
export function withDrives(mechanism: Mechanism, losses: LossList): Mechanism {
  const byJoint = Map.groupBy(mechanism.actuators, ({ joint }) => joint);
  const actuators: Actuator[] = [];
  const driven = (joint: Joint): Joint => {
    const own = byJoint.get(joint.name) ?? [];
    for (const actuator of own) addUnevenForce(actuator, losses);
    const servos = own.filter(({ type }) => type !== 'motor');
    for (const { name } of own.filter(({ type }) => type === 'motor'))
      losses.add('actuator', name, 'USD has servos; of a motor that is alone the most force is kept');
    if (servos.length === 0)
      return { ...joint, effort: joint.effort ?? (own.length > 0 ? mostForceOf(own) : undefined) };
    const servo = asDrive(joint, servos, losses);
    actuators.push(servo);
    if (joint.stiffness !== 0 && servo.kp > 0)
      losses.add('spring', joint.name, 'a joint of USD has one drive, which is that of its servo');
    // A reader takes a drive as stiff as the spring for the spring.
    const isAlike = Math.abs(servo.kp - joint.stiffness) <= ALIKE * servo.kp;
    return { ...joint, effort: undefined, stiffness: isAlike ? 0 : joint.stiffness };
  };
  const bodies = mechanism.bodies.map(
    (body): Body => ({ ...body, joints: body.joints.map((joint) => driven(joint)) }),
  );
  return { ...mechanism, bodies, actuators };
}

const ALIKE = 1e-6;

/** The servos of a joint as one, without a gear. */
function asDrive(joint: Joint, servos: readonly Actuator[], losses: LossList): Actuator {
  const total = (gain: 'kp' | 'kv') => servos.reduce((sum, servo) => sum + servo[gain] * servo.gear ** 2, 0);
  for (const { name, gear } of servos)
    if (gear !== 1)
      losses.add('gear', name, 'the target of a drive of USD is that of its joint, not of a motor');
  for (const { name } of servos.length > 1 ? servos : [])
    losses.add('actuator', name, 'a joint of USD has one drive, with the gains of all of its servos');
  const most = Math.min(mostForceOf(servos) ?? Infinity, joint.effort ?? Infinity);
  const [{ name, range, gear }] = servos as [Actuator];
  const kp = total('kp');
  return {
    name,
    joint: joint.name,
    type: kp > 0 ? 'position' : 'velocity',
    range: servos.length === 1 && range ? scaledRange(range, 1 / gear) : undefined,
    forceRange: Number.isFinite(most) ? [-most, most] : undefined,
    gear: 1,
    kp,
    kv: total('kv'),
  };
}
