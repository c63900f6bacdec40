import {
  CONTACT,
  CONTROL,
  lost,
  type Meaning,
  PLUGIN,
  SENSOR,
  type Vocabulary,
} from '../model/vocabulary.ts';

const LIGHT = lost('lights are not converted');
const EFFECT = lost('particle effects are not converted');
const WEATHER = lost('there is no air to move in');
const SOLVER = lost('it is for one solver alone');
const PICTURE = 'meaningless';

const GEOMETRY: Vocabulary = {
  empty: 'meaningless',
  box: 'read',
  capsule: 'read',
  cylinder: 'read',
  ellipsoid: 'read',
  mesh: 'read',
  plane: 'read',
  sphere: 'read',
  // Named where they are read, as shapes that are not drawn.
  cone: 'read',
  heightmap: 'read',
  image: 'read',
  polyline: 'read',
};

const SURFACE: Vocabulary = {
  bounce: {
    restitution_coefficient: lost('nothing bounces', '0'),
    threshold: CONTACT,
  },
  friction: {
    torsional: CONTACT,
    ode: {
      mu: 'read',
      mu2: lost('friction is the same in all directions'),
      fdir1: lost('friction is the same in all directions', '0 0 0'),
      slip1: lost('friction does not depend on speed', '0'),
      slip2: lost('friction does not depend on speed', '0'),
    },
    bullet: SOLVER,
  },
  contact: {
    collide_without_contact: lost('what collides, touches', 'false', '0'),
    collide_without_contact_bitmask: 'meaningless',
    collide_bitmask: lost('all shapes collide', '65535', '0xffff', '0xFFFF'),
    category_bitmask: lost('all shapes collide', '65535', '0xffff', '0xFFFF'),
    poissons_ratio: CONTACT,
    elastic_modulus: CONTACT,
    ode: CONTACT,
    bullet: SOLVER,
  },
  soft_contact: CONTACT,
};

const AXIS: Vocabulary = {
  xyz: 'read',
  use_parent_model_frame: 'read',
  initial_position: lost('joints begin at zero', '0'),
  dynamics: { damping: 'read', friction: 'read', spring_reference: 'read', spring_stiffness: 'read' },
  limit: {
    lower: 'read',
    upper: 'read',
    effort: 'read',
    velocity: 'read',
    stiffness: lost('limits are as hard as the simulator makes them'),
    dissipation: lost('limits are as hard as the simulator makes them'),
  },
  mimic: 'read',
};

const FRAME: Vocabulary = {
  '@name': 'read',
  '@attached_to': 'read',
  pose: 'read',
  origin: lost('it is of a version before 1.0'),
};

const JOINT: Vocabulary = {
  '@name': 'read',
  '@type': 'read',
  pose: 'read',
  parent: 'read',
  child: 'read',
  axis: AXIS,
  axis2: AXIS,
  gearbox_ratio: lost('gears are not converted', '1'),
  gearbox_reference_body: lost('gears are not converted'),
  thread_pitch: lost('screws are not converted', '1'),
  screw_thread_pitch: lost('screws are not converted', '1'),
  physics: { provide_feedback: 'meaningless', simbody: SOLVER, ode: SOLVER },
  sensor: SENSOR,
};

const LINK: Vocabulary = {
  '@name': 'read',
  pose: 'read',
  frame: FRAME,
  gravity: lost('it is the same for all links', 'true', '1'),
  enable_wind: lost('there is no air to move in', 'false', '0'),
  self_collide: lost('it is the same for all links of a model', 'false', '0'),
  kinematic: lost('links are moved by forces alone', 'false', '0'),
  must_be_base_link: lost('it is for one solver alone', 'false', '0'),
  velocity_decay: lost('there is no air to move in'),
  inertial: {
    '@auto': 'read',
    mass: 'read',
    pose: 'read',
    inertia: 'read',
    density: 'read',
    auto_inertia_params: lost('it is for one program alone'),
    fluid_added_mass: lost('there is no water to move in'),
    frame: FRAME,
  },
  collision: {
    '@name': 'read',
    pose: 'read',
    geometry: GEOMETRY,
    density: 'read',
    auto_inertia_params: lost('it is for one program alone'),
    surface: SURFACE,
    laser_retro: 'meaningless',
    max_contacts: 'meaningless',
    frame: FRAME,
  },
  visual: 'read',
  sensor: SENSOR,
  projector: lost('projectors are not converted'),
  audio_sink: lost('sounds are not converted'),
  audio_source: lost('sounds are not converted'),
  battery: lost('it is for plugins of Gazebo'),
  light: LIGHT,
  // Named where shapes are read, as what is not drawn.
  particle_emitter: 'read',
  plugin: PLUGIN,
};

const INCLUDE: Vocabulary = {
  '@merge': 'read',
  uri: 'read',
  name: 'read',
  pose: 'read',
  static: 'read',
  placement_frame: 'read',
  plugin: PLUGIN,
  'experimental:params': lost('included models stay as they are'),
};

const MODEL: Vocabulary = {
  '@name': 'read',
  '@canonical_link': 'meaningless',
  '@placement_frame': 'read',
  '@merge': 'read',
  // What an included model has of its `<include>`.
  static: 'read',
  self_collide: 'read',
  allow_auto_disable: 'meaningless',
  enable_wind: lost('there is no air to move in', 'false', '0'),
  frame: FRAME,
  pose: 'read',
  link: LINK,
  joint: JOINT,
  include: INCLUDE,
  // Models in models are named by themselves.
  model: 'read',
  plugin: PLUGIN,
  gripper: CONTROL,
};

const WORLD: Vocabulary = {
  '@name': 'meaningless',
  gravity: 'read',
  physics: {
    '@name': 'meaningless',
    '@default': 'meaningless',
    '@type': 'meaningless',
    max_step_size: 'read',
    real_time_factor: 'meaningless',
    real_time_update_rate: 'meaningless',
    max_contacts: 'meaningless',
    dart: SOLVER,
    simbody: SOLVER,
    bullet: SOLVER,
    ode: SOLVER,
  },
  include: INCLUDE,
  model: 'read',
  frame: FRAME,
  joint: lost('joints between models are not converted'),
  plugin: PLUGIN,
  light: LIGHT,
  actor: lost('animated actors are not converted'),
  particle_emitter: EFFECT,
  audio: lost('sounds are not converted'),
  wind: WEATHER,
  magnetic_field: WEATHER,
  atmosphere: WEATHER,
  population: lost('populations are not converted'),
  road: lost('roads are not converted'),
  gui: PICTURE,
  scene: PICTURE,
  spherical_coordinates: PICTURE,
  state: lost('models begin where they are placed'),
};

/** SDFormat to version 1.12 (sdformat.org/spec). */
export const SDF = {
  root: {
    '@version': 'read',
    world: WORLD,
    model: 'read',
    include: INCLUDE,
    actor: lost('animated actors are not converted'),
    light: LIGHT,
  },
  model: MODEL,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Meaning>>>>;
