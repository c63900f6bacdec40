import type { MjModel } from '@mujoco/mujoco';
import { integer, isLimited, type Kind } from './lookups.ts';

/** Kinds of things of which a mechanism holds nothing. */
export const LOST_KINDS = {
  tendon: 'paths between joints and sites are not converted',
  keyframe: 'stored states are not converted',
  sensor: 'sensors are not converted',
  plugin: 'what a plugin does is not converted',
  flex: 'soft bodies are not converted',
  skin: 'surfaces that bend are not converted',
  site: 'marks on bodies are not converted',
  camera: 'cameras are not converted',
  light: 'lights are not converted',
  pair: 'contacts of chosen geoms are not converted',
  numeric: 'user data is not converted',
  text: 'user data is not converted',
  tuple: 'user data is not converted',
} as const satisfies Partial<Record<Kind, string>>;

/** A table of a compiled model that a mechanism does not hold, with a row for each thing of a kind. */
export interface LostTable {
  readonly table: keyof MjModel;
  /** In words of MJCF. */
  readonly what: string;
  readonly why: string;
  /** Values of a row, or of a part of it that repeats, that change nothing. What is undefined is held. */
  readonly harmless: readonly (number | undefined)[];
  /** Whether the row of a thing means anything; it does if this is absent. */
  readonly isFelt?: (model: MjModel, id: number) => boolean;
}

const FOR_SOLVER = 'how hard and how soft constraints are, is for the solver of MuJoCo';
const USER = 'user data is not converted';
const TRANSMISSION = 'kept without the inertia and the damping of what drives';
const SOLREF = [0.02, 1];
const SOLIMP = [0.9, 0.95, 0.001, 0.5, 2];
/** `mjTEXROLE_RGB` and `mjTEXROLE_RGBA` are held. */
const LAYERS = [-1, undefined, -1, -1, -1, -1, -1, -1, undefined, -1];
/** `mjJNT_BALL`. */
const BALL = 1;

/** By kinds of things; `dof` are degrees of freedom, which are called as their joints. */
export const LOST_TABLES: Readonly<Partial<Record<Kind | 'dof', readonly LostTable[]>>> = {
  body: [
    lost('body_mocapid', 'mocap', 'kept as a body that does not move', [-1]),
    lost('body_gravcomp', 'gravcomp', 'gravity is not compensated'),
    lost('body_plugin', 'body/plugin', LOST_KINDS.plugin, [-1]),
    lost('body_user', 'body/@user', USER),
  ],
  joint: [
    lost('jnt_stiffnesspoly', 'joint/@stiffness', 'kept as a spring that is linear'),
    lost('jnt_range', 'joint/@range', 'a ball is kept without limits', [undefined, 0], isLimitedBall),
    lost('jnt_margin', 'joint/@margin', FOR_SOLVER, [0], isLimited),
    lost('jnt_solref', 'joint/@solreflimit', FOR_SOLVER, SOLREF, isLimited),
    lost('jnt_solimp', 'joint/@solimplimit', FOR_SOLVER, SOLIMP, isLimited),
    lost('jnt_user', 'joint/@user', USER),
  ],
  dof: [
    lost('dof_dampingpoly', 'joint/@damping', 'kept as damping that is linear'),
    lost('dof_solref', 'joint/@solreffriction', FOR_SOLVER, SOLREF, hasFriction),
    lost('dof_solimp', 'joint/@solimpfriction', FOR_SOLVER, SOLIMP, hasFriction),
  ],
  geom: [
    lost('geom_condim', 'geom/@condim', 'kept with friction against sliding alone', [3], collides),
    lost(
      'geom_friction',
      'geom/@friction',
      'kept with friction against sliding alone',
      [undefined, 0.005, 0.0001],
      turnsOnContact,
    ),
    lost('geom_margin', 'geom/@margin', FOR_SOLVER, [0], collides),
    lost('geom_gap', 'geom/@gap', FOR_SOLVER, [0], collides),
    lost('geom_solref', 'geom/@solref', FOR_SOLVER, SOLREF, collides),
    lost('geom_solimp', 'geom/@solimp', FOR_SOLVER, SOLIMP, collides),
    lost('geom_solmix', 'geom/@solmix', FOR_SOLVER, [1], collides),
    lost('geom_priority', 'geom/@priority', FOR_SOLVER, [0], collides),
    lost('geom_adhesion', 'geom/@adhesion', 'nothing sticks', [0], collides),
    lost('geom_surfacevel', 'geom/@surfacevel', 'surfaces do not move by themselves', [0], collides),
    lost('geom_fluid', 'geom/@fluidshape', 'bodies move in a vacuum'),
    lost('geom_plugin', 'geom/plugin', LOST_KINDS.plugin, [-1]),
    lost('geom_user', 'geom/@user', USER),
  ],
  equality: [
    lost('eq_solref', 'equality/@solref', FOR_SOLVER, SOLREF),
    lost('eq_solimp', 'equality/@solimp', FOR_SOLVER, SOLIMP),
  ],
  actuator: [
    lost('actuator_armature', 'actuator/@armature', TRANSMISSION),
    lost('actuator_damping', 'actuator/@damping', TRANSMISSION),
    lost('actuator_dampingpoly', 'actuator/@damping', TRANSMISSION),
    lost('actuator_delay', 'actuator/@delay', 'kept without delay'),
    lost('actuator_plugin', 'actuator/plugin', LOST_KINDS.plugin, [-1]),
    lost('actuator_user', 'actuator/@user', USER),
  ],
  material: [
    lost('mat_specular', 'material/@specular', 'highlights follow from roughness', [0.5]),
    lost('mat_reflectance', 'material/@reflectance', 'no surface is a mirror'),
    lost('mat_texid', 'material/layer', 'textures are kept for colours alone', LAYERS),
  ],
  texture: [lost('tex_type', 'texture/@type', 'a cube is kept as its mean colour, and a sky not at all')],
};

function lost(
  table: keyof MjModel,
  what: string,
  why: string,
  harmless: LostTable['harmless'] = [0],
  isFelt?: LostTable['isFelt'],
): LostTable {
  return { table, what, why, harmless, ...(isFelt && { isFelt }) };
}

export function isLimitedBall(model: MjModel, joint: number): boolean {
  return integer(model.jnt_type, joint) === BALL && isLimited(model, joint);
}

function hasFriction(model: MjModel, dof: number): boolean {
  return (model.dof_frictionloss as Float64Array)[dof] !== 0;
}

function collides(model: MjModel, geom: number): boolean {
  const hasBits = [model.geom_contype, model.geom_conaffinity].some((bits) => integer(bits, geom) !== 0);
  return hasBits || [model.pair_geom1, model.pair_geom2].some((ids) => (ids as Int32Array).includes(geom));
}

/** Whether contacts of a geom resist turning, and so have more than one coefficient of friction. */
function turnsOnContact(model: MjModel, geom: number): boolean {
  return collides(model, geom) && integer(model.geom_condim, geom) > 3;
}
