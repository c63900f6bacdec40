import type { LossList } from '../model/losses.ts';
import { type Actuator, type Body, type Mechanism, ON_EARTH } from '../model/mechanism.ts';

/** The most force of an actuator on its joint, both ways; undefined if it has no limit. */
function mostForce({ type, range, forceRange, gear }: Actuator): number | undefined {
  const limits = forceRange ?? (type === 'motor' ? range : undefined);
  return limits && Math.abs(gear) * Math.max(...limits.map(Math.abs));
}

/** The most force of several actuators together. */
export function mostForceOf(actuators: readonly Actuator[]): number | undefined {
  const forces = actuators.map(mostForce);
  return forces.reduce(
    (sum, force) => (sum === undefined || force === undefined ? undefined : sum + force),
    0,
  );
}

/** A range whose ends are multiplied by the same number. */
export function scaledRange([lower, upper]: readonly [number, number], factor: number): [number, number] {
  return factor < 0 ? [upper * factor, lower * factor] : [lower * factor, upper * factor];
}

/** Names an actuator that has more force one way than the other, where a format has one number. */
export function addUnevenForce({ name, type, range, forceRange }: Actuator, losses: LossList): void {
  const [lower, upper] = forceRange ?? (type === 'motor' ? range : undefined) ?? [0, 0];
  if (lower !== -upper) losses.add('forcerange', name, 'kept as the larger of its two forces, both ways');
}

/** Bodies whose joints are as strong as what drives them, if they do not say so themselves. */
export function withEfforts({ bodies, actuators }: Mechanism): Body[] {
  const driving = Map.groupBy(actuators, ({ joint }) => joint);
  return bodies.map((body) => ({
    ...body,
    joints: body.joints.map((joint) => {
      const own = driving.get(joint.name);
      return { ...joint, effort: joint.effort ?? (own && mostForceOf(own)) };
    }),
  }));
}

/** Names what drives joints, and what does not collide, for formats without these. */
export function addControlLosses({ actuators, excluded }: Mechanism, losses: LossList): void {
  for (const actuator of actuators) {
    losses.add('actuator', actuator.name, 'joints keep their effort, but not what drives them');
    addUnevenForce(actuator, losses);
  }
  for (const [one, other] of excluded)
    losses.add('exclude', `${one} ${other}`, 'it is for the simulator to say which links collide');
}

/** Names gravity and timestep by their values, for formats that leave them to the simulator. */
export function addPhysicsLosses({ physics }: Mechanism, losses: LossList): void {
  const { gravity, timestep } = physics;
  if (gravity.some((part, axis) => part !== ON_EARTH.gravity[axis]))
    losses.add('gravity', gravity.join(' '), 'it is for the simulator to say');
  if (timestep !== undefined) losses.add('timestep', String(timestep), 'it is for the simulator to say');
}
