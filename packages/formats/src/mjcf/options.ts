import type { ClassHandle, MainModule, MjModel, MjOption } from '@mujoco/mujoco';
import { LossList } from '../model/losses.ts';
import type { Vector3 } from '../model/matrix.ts';
import { ON_EARTH, type Physics } from '../model/mechanism.ts';
import type { Loss } from '../verdicts.ts';

/** Why options are lost that change nothing of what acts on bodies. */
export const CALCULATION = 'it says how MuJoCo calculates';

/** Numbers that are for calculating alone. */
const CALCULATING = [
  ...(['integrator', 'cone', 'jacobian', 'solver', 'impratio', 'iterations', 'tolerance'] as const),
  ...(['ls_iterations', 'ls_tolerance', 'noslip_iterations', 'noslip_tolerance'] as const),
  ...(['ccd_iterations', 'ccd_tolerance', 'sdf_iterations', 'sdf_initpoints', 'sleep_tolerance'] as const),
];
type Calculating = (typeof CALCULATING)[number];

type Held = 'gravity' | 'timestep';
type Flags = 'disableflags' | 'enableflags';
type Lost = Exclude<keyof MjOption, keyof ClassHandle | 'copy' | Held | Flags>;

/** Why a mechanism does not hold the other options. */
const LOST: Readonly<Record<Exclude<Lost, Calculating>, string>> = {
  wind: 'bodies move in a vacuum',
  density: 'bodies move in a vacuum',
  viscosity: 'bodies move in a vacuum',
  magnetic: 'it is for sensors, which are not converted',
  o_margin: 'contacts are kept with numbers of their own',
  o_solref: 'contacts are kept with numbers of their own',
  o_solimp: 'contacts are kept with numbers of their own',
  o_friction: 'contacts are kept with numbers of their own',
  disableactuator: 'actuators are kept whether they are in use or not',
};

/** Gravity as it is felt, and the timestep unless it is the one that MuJoCo chooses. */
export function physicsOf(mujoco: MainModule, { opt }: MjModel): Physics {
  const isWeightless = (opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY.value) !== 0;
  const [x = 0, y = 0, z = 0] = Array.from(opt.gravity as ArrayLike<number>);
  const gravity: Vector3 = isWeightless ? [0, 0, 0] : [x, y, z];
  return { gravity, timestep: opt.timestep === STANDARD_TIMESTEP ? ON_EARTH.timestep : opt.timestep };
}

/** In seconds, of a model in MJCF that does not say it. */
export const STANDARD_TIMESTEP = 0.002;

/** Names options with their values, and flags, other than those of MuJoCo that a mechanism does not hold. */
export function optionLosses(mujoco: MainModule, { opt }: MjModel): Loss[] {
  const losses = new LossList();
  const standard = new mujoco.MjOption();
  const reasons = [...Object.entries(LOST), ...CALCULATING.map((option) => [option, CALCULATION])];
  for (const [option, why] of reasons as [Lost, string][]) {
    const value = wordFor(mujoco, option, opt);
    if (value !== wordFor(mujoco, option, standard)) losses.add(`option/@${option}`, value, why);
  }
  standard.delete();
  const flags = [
    ...namesOfBits(mujoco.mjtDisableBit, opt.disableflags).map((flag) => [flag, 'disable']),
    ...namesOfBits(mujoco.mjtEnableBit, opt.enableflags).map((flag) => [flag, 'enable']),
  ];
  for (const [flag = '', value = ''] of flags)
    if (flag !== 'gravity')
      losses.add(`flag/@${flag}`, value, 'bodies move and collide with all that acts on them');
  return losses.all;
}

export type Calculation = Readonly<Partial<Record<Calculating, number>>>;

export function calculationOf({ opt }: MjModel): Calculation {
  return Object.fromEntries(CALCULATING.map((option) => [option, opt[option]]));
}

/** Leaves of all options those that a mechanism has, and how MuJoCo calculates. */
export function resetOptions(mujoco: MainModule, model: MjModel): void {
  const { gravity, timestep } = physicsOf(mujoco, model);
  const options = new mujoco.MjOption();
  Object.assign(options, calculationOf(model), { timestep: timestep ?? STANDARD_TIMESTEP });
  (options.gravity as Float64Array).set(gravity);
  model.opt = options;
  options.delete();
}

const ENUMERATIONS = {
  integrator: 'mjtIntegrator',
  cone: 'mjtCone',
  jacobian: 'mjtJacobian',
  solver: 'mjtSolver',
} as const;

/** The value of an option as it is written in MJCF. */
function wordFor(mujoco: MainModule, option: Lost, options: MjOption): string {
  const value: unknown = options[option];
  if (typeof value !== 'number') return Array.from(value as ArrayLike<number>).join(' ');
  const words = option in ENUMERATIONS ? mujoco[ENUMERATIONS[option as keyof typeof ENUMERATIONS]] : {};
  return constantsOf(words).find(([, known]) => known === value)?.[0] ?? String(value);
}

function namesOfBits(flags: object, set: number): string[] {
  return constantsOf(flags).flatMap(([name, bit]) => ((set & bit) === 0 ? [] : [name]));
}

/** The constants of an enumeration as they are called in MJCF: `mjINT_RK4` is `rk4`. */
function constantsOf(enumeration: object): [name: string, value: number][] {
  return Object.entries(enumeration)
    .filter(([name]) => /^mj[A-Z]+_/.test(name))
    .map(([name, { value }]) => [name.slice(name.indexOf('_') + 1).toLowerCase(), value]);
}
