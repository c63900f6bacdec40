import { isLimited, nameOf } from '@bindery/formats/mjcf/lookups';
import { LEAST } from '@bindery/formats/writing/possible-inertia';
import type { MainModule, MjContact, MjData, MjModel } from '@mujoco/mujoco';

import { at, GEOM, tuple } from './memory.ts';

const STANDARD_GRAVITY = 9.81;

export interface Contact {
  readonly geoms: readonly [number, number];
  /** In metres; negative where the two geoms overlap. */
  readonly distance: number;
}

/** What the state of a model has become useless by, and when, in seconds. */
export interface Breakdown {
  readonly time: number;
  readonly what: 'position' | 'velocity' | 'acceleration';
  readonly degree: number;
}

/** The most radians or metres a second of joints by name, where a format other than MJCF says it. */
export type SpeedLimits = ReadonlyMap<string, number>;

/** A compiled model with one state of it. Values are read from MuJoCo anew each time: its memory can move. */
export class Simulator {
  readonly model: MjModel;
  readonly data: MjData;
  /** Whether the model was written in another format, so that motors stand for whatever drives its joints. */
  readonly isConverted: boolean;
  readonly #mujoco: MainModule;
  readonly #speeds: SpeedLimits;
  readonly #isCompensated: boolean;

  constructor(mujoco: MainModule, model: MjModel, speeds?: SpeedLimits) {
    this.#mujoco = mujoco;
    this.model = model;
    this.data = new mujoco.MjData(model);
    this.isConverted = speeds !== undefined;
    this.#speeds = speeds ?? new Map();
    this.#isCompensated = model.ngravcomp > 0;
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY.value;
  }

  /** The energy that lifts the whole model by its own size, in joules: large and small energies are told by it. */
  get energyScale(): number {
    const { body_mass: masses, opt, stat } = this.model;
    const mass = Array.from(masses as ArrayLike<number>).reduce((sum, one) => sum + one, 0);
    return mass * (Math.hypot(...(opt.gravity as number[])) || STANDARD_GRAVITY) * stat.extent;
  }

  /** Whether what moves weighs no more than conversions give to what weighs nothing. */
  get isMassless(): boolean {
    const { body_mass, body_weldid, nbody } = this.model;
    return Array.from({ length: nbody }, (_, body) => body).every(
      (body) => at(body_weldid, body) === 0 || at(body_mass, body) <= LEAST.mass,
    );
  }

  nameOf(kind: 'body' | 'joint' | 'actuator' | 'key' | 'geom', id: number): string {
    const { model } = this;
    const addresses = {
      body: model.name_bodyadr,
      joint: model.name_jntadr,
      actuator: model.name_actuatoradr,
      key: model.name_keyadr,
      geom: model.name_geomadr,
    };
    return nameOf(model, addresses[kind], id) || `${kind} ${id}`;
  }

  /** The limits of a joint with one degree of freedom, in radians or metres; undefined for one that turns without end. */
  limitsOf(joint: number): readonly [lower: number, upper: number] | undefined {
    if (!isLimited(this.model, joint)) return undefined;
    const ranges = this.model.jnt_range as ArrayLike<number>;
    return [ranges[joint * 2] ?? 0, ranges[joint * 2 + 1] ?? 0];
  }

  /** In radians or metres a second; infinite if nothing says it. */
  speedLimitOf(joint: number): number {
    return this.#speeds.get(this.nameOf('joint', joint)) ?? Number.POSITIVE_INFINITY;
  }

  /** The most force or torque that actuators give a joint; infinite if nothing says it. */
  effortLimitOf(joint: number): number {
    const [lower = 0, upper = 0] = tuple(this.model.jnt_actfrcrange, joint, 2);
    return lower < upper ? Math.max(-lower, upper) : Number.POSITIVE_INFINITY;
  }

  /** The most force of an actuator, before its gear; infinite if nothing says it. */
  forceLimitOf(actuator: number): number {
    const accessor = this.model.actuator(actuator);
    const isLimited = Boolean(accessor.forcelimited);
    accessor.delete();
    if (!isLimited) return Number.POSITIVE_INFINITY;
    const { actuator_forcerange: ranges, actuator_outadr: addresses } = this.model;
    return Math.max(...tuple(ranges, at(addresses, actuator), 2).map(Math.abs));
  }

  /** Starts anew in a keyframe, or in the reference pose for −1. */
  reset(keyframe: number): void {
    if (keyframe < 0) this.#mujoco.mj_resetData(this.model, this.data);
    else this.#mujoco.mj_resetDataKeyframe(this.model, this.data, keyframe);
    this.#mujoco.mj_forward(this.model, this.data);
  }

  step(): void {
    this.#mujoco.mj_step(this.model, this.data);
  }

  /** Goes on with the controls that there are, in simulated seconds. */
  run(seconds: number): void {
    for (let step = 0; step < seconds / this.model.opt.timestep; step++) this.step();
  }

  /** Runs something in a world where joints feel nothing but their limits, their actuators if wanted, and `data.qfrc_applied`. */
  inEmptySpace<T>(hasActuators: boolean, run: () => T): T {
    const bits = this.#mujoco.mjtDisableBit;
    const nothing = bits.mjDSBL_GRAVITY.value | bits.mjDSBL_CONTACT.value | bits.mjDSBL_EQUALITY.value;
    return this.#without(hasActuators ? nothing : nothing | bits.mjDSBL_ACTUATION.value, run);
  }

  #without<T>(flags: number, run: () => T): T {
    const { opt } = this.model;
    const before = opt.disableflags;
    opt.disableflags |= flags;
    try {
      return run();
    } finally {
      opt.disableflags = before;
    }
  }

  contacts(): Contact[] {
    const all = this.data.contact;
    return Array.from({ length: this.data.ncon }, (_, at) => {
      const contact = all.get(at) as MjContact;
      const geoms = [contact.geom1, contact.geom2] as const;
      const { dist: distance } = contact;
      contact.delete();
      return { geoms, distance };
    });
  }

  /** The force or torque that holds each degree of freedom against gravity in a pose, less what springs help, without contacts. */
  loadsIn(pose: ArrayLike<number>): Float64Array {
    const { model, data } = this;
    return this.#without(this.#mujoco.mjtDisableBit.mjDSBL_CONSTRAINT.value, () => {
      this.#mujoco.mj_resetData(model, data);
      (data.qpos as Float64Array).set(pose);
      this.#mujoco.mj_forward(model, data);
      const { qfrc_bias, qfrc_gravcomp, qfrc_spring } = data;
      return Float64Array.from(qfrc_bias as Float64Array, (bias, degree) => {
        const load = bias - at(qfrc_gravcomp, degree);
        return Math.min(Math.abs(load), Math.abs(load - at(qfrc_spring, degree)));
      });
    });
  }

  /** How far a geom is from a point in a direction of length 1, in metres; infinite if the ray does not hit it. */
  distanceTo(geom: number, from: readonly number[], direction: readonly number[]): number {
    const { model, data } = this;
    const type = at(model.geom_type, geom);
    const [point, ray] = [[...from], [...direction]];
    const distance =
      type === GEOM.mesh
        ? this.#mujoco.mj_rayMesh(model, data, geom, point, ray, null)
        : type === GEOM.hfield
          ? this.#mujoco.mj_rayHfield(model, data, geom, point, ray, null)
          : this.#mujoco.mju_rayGeom(
              tuple(data.geom_xpos, geom, 3),
              tuple(data.geom_xmat, geom, 9),
              tuple(model.geom_size, geom, 3),
              point,
              ray,
              type,
              null,
            );
    return distance < 0 ? Number.POSITIVE_INFINITY : distance;
  }

  /** The power of all actuators, and of what compensates gravity without them, in watts. */
  suppliedPower(): number {
    const velocities = this.data.qvel as ArrayLike<number>;
    const forces = this.data.qfrc_actuator as ArrayLike<number>;
    let power = 0;
    for (let degree = 0; degree < velocities.length; degree++)
      power += (velocities[degree] ?? 0) * (forces[degree] ?? 0);
    return this.#isCompensated ? power + this.#compensationPower(velocities) : power;
  }

  /** Of gravity compensation that is no part of what actuators do. */
  #compensationPower(velocities: ArrayLike<number>): number {
    const { qfrc_passive, qfrc_spring, qfrc_damper, qfrc_fluid } = this.data;
    let power = 0;
    for (let degree = 0; degree < velocities.length; degree++) {
      const others = at(qfrc_spring, degree) + at(qfrc_damper, degree) + at(qfrc_fluid, degree);
      power += (velocities[degree] ?? 0) * (at(qfrc_passive, degree) - others);
    }
    return power;
  }

  /** The sum of potential and kinetic energy, in joules, and the kinetic part. */
  energy(): { total: number; kinetic: number } {
    const [potential = 0, kinetic = 0] = this.data.energy as number[];
    return { total: potential + kinetic, kinetic };
  }

  /** Whether MuJoCo gave up the state since the last reset; it then starts again by itself. */
  breakdown(time: number): Breakdown | undefined {
    const { mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC } = this.#mujoco.mjtWarning;
    const kinds = [
      ['position', mjWARN_BADQPOS.value],
      ['velocity', mjWARN_BADQVEL.value],
      ['acceleration', mjWARN_BADQACC.value],
    ] as const;
    for (const [what, index] of kinds) {
      const { count, last } = this.#warning(index);
      if (count > 0) return { time, what, degree: last };
    }
    return undefined;
  }

  /** The buffers that were too small, or the inertia that was singular, since the last reset. */
  solverWarnings(): ('singular-inertia' | 'too-many-contacts' | 'too-many-constraints')[] {
    const { mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL } = this.#mujoco.mjtWarning;
    const kinds = [
      ['singular-inertia', mjWARN_INERTIA.value],
      ['too-many-contacts', mjWARN_CONTACTFULL.value],
      ['too-many-constraints', mjWARN_CNSTRFULL.value],
    ] as const;
    return kinds.filter(([, index]) => this.#warning(index).count > 0).map(([kind]) => kind);
  }

  #warning(index: number): { count: number; last: number } {
    const warning = this.data.warning.get(index);
    if (warning === undefined) return { count: 0, last: 0 };
    const { number: count, lastinfo: last } = warning;
    warning.delete();
    return { count, last };
  }

  delete(): void {
    this.data.delete();
  }
}
