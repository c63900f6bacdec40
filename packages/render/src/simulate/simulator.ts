import { isLimited, nameOf } from '@bindery/formats/mjcf/lookups';
import type { MainModule, MjContact, MjData, MjModel } from '@mujoco/mujoco';

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

/** A compiled model with one state of it. Values are read from MuJoCo anew each time: its memory can move. */
export class Simulator {
  readonly model: MjModel;
  readonly data: MjData;
  readonly #mujoco: MainModule;

  constructor(mujoco: MainModule, model: MjModel) {
    this.#mujoco = mujoco;
    this.model = model;
    this.data = new mujoco.MjData(model);
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY.value;
  }

  /** The energy that lifts the whole model by its own size, in joules: large and small energies are told by it. */
  get energyScale(): number {
    const { body_mass: masses, opt, stat } = this.model;
    const mass = Array.from(masses as ArrayLike<number>).reduce((sum, one) => sum + one, 0);
    return mass * (Math.hypot(...(opt.gravity as number[])) || STANDARD_GRAVITY) * stat.extent;
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

  /** Starts anew in a keyframe, or in the reference pose for −1. */
  reset(keyframe: number): void {
    if (keyframe < 0) this.#mujoco.mj_resetData(this.model, this.data);
    else this.#mujoco.mj_resetDataKeyframe(this.model, this.data, keyframe);
    this.#mujoco.mj_forward(this.model, this.data);
  }

  step(): void {
    this.#mujoco.mj_step(this.model, this.data);
  }

  /** Runs something in a world where joints feel nothing but their limits, their actuators if wanted, and `data.qfrc_applied`. */
  inEmptySpace<T>(hasActuators: boolean, run: () => T): T {
    const bits = this.#mujoco.mjtDisableBit;
    const { opt } = this.model;
    const flags = opt.disableflags;
    opt.disableflags |= bits.mjDSBL_GRAVITY.value | bits.mjDSBL_CONTACT.value | bits.mjDSBL_EQUALITY.value;
    if (!hasActuators) opt.disableflags |= bits.mjDSBL_ACTUATION.value;
    try {
      return run();
    } finally {
      opt.disableflags = flags;
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

  /** The power of all actuators, in watts. */
  actuatorPower(): number {
    const velocities = this.data.qvel as ArrayLike<number>;
    const forces = this.data.qfrc_actuator as ArrayLike<number>;
    let power = 0;
    for (let degree = 0; degree < velocities.length; degree++)
      power += (velocities[degree] ?? 0) * (forces[degree] ?? 0);
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
