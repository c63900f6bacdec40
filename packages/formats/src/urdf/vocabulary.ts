import { CONTACT, CONTROL, lost, PLUGIN, SENSOR, type Vocabulary } from '../model/vocabulary.ts';

const FOR_GAZEBO = lost('it is for Gazebo alone');
const FOR_MUJOCO = lost('it is for MuJoCo alone');

const ORIGIN = 'read';
const GEOMETRY: Vocabulary = {
  box: 'read',
  cylinder: 'read',
  sphere: 'read',
  capsule: 'read',
  mesh: 'read',
};
const MATERIAL = 'read';

/**
 * URDF as `urdf.xsd` and version 1.2 of `urdfdom` have it, and what simulators put into it: SDFormat's extensions
 * (classic.gazebosim.org, "URDF in Gazebo") and MuJoCo's (XMLreference, "URDF extensions").
 */
export const URDF: Vocabulary = {
  '@name': 'read',
  '@version': 'meaningless',
  link: {
    '@name': 'read',
    '@type': 'meaningless',
    inertial: { origin: ORIGIN, mass: 'read', inertia: 'read' },
    visual: { '@name': 'read', origin: ORIGIN, geometry: GEOMETRY, material: MATERIAL },
    collision: {
      '@name': 'read',
      origin: ORIGIN,
      geometry: GEOMETRY,
      material: 'meaningless',
      verbose: 'meaningless',
    },
    contact: CONTACT,
    self_collision_checking: lost('it is for the simulator to say which links collide'),
  },
  joint: {
    '@name': 'read',
    '@type': 'read',
    origin: ORIGIN,
    parent: 'read',
    child: 'read',
    axis: 'read',
    calibration: 'meaningless',
    dynamics: { '@damping': 'read', '@friction': 'read' },
    limit: {
      '@lower': 'read',
      '@upper': 'read',
      '@effort': 'read',
      '@velocity': 'read',
      '@acceleration': lost('joints have no limit of acceleration'),
      '@deceleration': lost('joints have no limit of acceleration'),
      '@jerk': lost('joints have no limit of jerk'),
    },
    mimic: 'read',
    safety_controller: CONTROL,
  },
  material: MATERIAL,
  transmission: CONTROL,
  ros2_control: CONTROL,
  sensor: SENSOR,
  gazebo: {
    '@reference': 'read',
    plugin: PLUGIN,
    sensor: SENSOR,
    material: 'meaningless',
    visual: 'meaningless',
    provideFeedback: 'meaningless',
    turnGravityOff: lost('it is the same for all links', 'false', '0'),
    gravity: lost('it is the same for all links', 'true', '1'),
    static: lost('it is for Gazebo alone', 'false', '0'),
    selfCollide: lost('it is for the simulator to say which links collide', 'false', '0'),
    '*': FOR_GAZEBO,
  },
  mujoco: {
    option: { '@gravity': 'read', '@timestep': 'read', '*': FOR_MUJOCO },
    compiler: {
      '@meshdir': 'meaningless',
      '@texturedir': 'meaningless',
      '@assetdir': 'meaningless',
      '@strippath': 'meaningless',
      '@discardvisual': 'meaningless',
      '@balanceinertia': lost('inertias stay as they are written', 'false'),
      '@fusestatic': lost('links stay apart', 'false'),
      '*': FOR_MUJOCO,
    },
    size: 'meaningless',
    '*': FOR_MUJOCO,
  },
};
