import { type Color, toGlb, toMtl, toObj, toStl } from './formats.ts';
import { box, gear, joined, type Mesh, moved, sphere, turned } from './geometry.ts';
import { armBase, finger, forearm, palm, roverBody, roverWheel, upperArm } from './robot-shapes.ts';
import { ARM_URDF, GRIPPER_MJCF, GRIPPER_SCENE, ROVER_URDF } from './robots.ts';

/** One asset of the sample library: its metadata, and its files by path below its folder. */
export interface SampleAsset {
  id: string;
  title: string;
  description: string;
  category: string;
  tags: string[];
  files: Record<string, string | Buffer>;
}

const WOOD: Color = [0.62, 0.43, 0.24];
const STEEL: Color = [0.55, 0.58, 0.62];
const ORANGE: Color = [0.95, 0.4, 0.08];

export const SAMPLE_ASSETS: SampleAsset[] = [
  glb(
    'crate',
    'Wooden crate',
    'A closed crate of half a metre, for stacking and grasping.',
    ['wood', 'container'],
    crate(),
    WOOD,
  ),
  glb(
    'pallet',
    'Euro pallet',
    'A four-way pallet, 1200 by 800 millimetres.',
    ['wood', 'logistics'],
    pallet(),
    WOOD,
  ),
  glb(
    'barrel',
    'Steel barrel',
    'A 200-litre drum with two rolling hoops.',
    ['steel', 'container'],
    barrel(),
    STEEL,
  ),
  glb(
    'traffic-cone',
    'Traffic cone',
    'An orange cone on a square foot, for obstacle courses.',
    ['road', 'obstacle'],
    cone(),
    ORANGE,
  ),
  obj(
    'table',
    'Work table',
    'A table of 0.75 metres height for tabletop manipulation.',
    ['furniture'],
    table(),
    WOOD,
  ),
  obj(
    'ball',
    'Rubber ball',
    'A ball of ten centimetres, round to a millimetre.',
    ['toy', 'round'],
    sphere(0.05),
    ORANGE,
  ),
  stl(
    'bracket',
    'Angle bracket',
    'An L-shaped bracket for profiles of forty millimetres.',
    ['steel', 'fixture'],
    bracket(),
  ),
  stl(
    'spur-gear',
    'Spur gear, 24 teeth',
    'A gear of module two for a parallel shaft.',
    ['steel', 'drive'],
    gear(24, 0.024, 0.026, 0.01),
  ),
  stl(
    'flange',
    'Tool flange',
    'The round flange between a robot wrist and its tool.',
    ['steel', 'mount'],
    flange(),
  ),
  {
    id: 'two-link-arm',
    title: 'Two-link arm',
    description: 'A planar robot arm with shoulder and elbow, the simplest one that reaches around things.',
    category: 'robot',
    tags: ['arm', 'manipulator'],
    files: {
      'two-link-arm.urdf': ARM_URDF,
      'meshes/base.stl': toStl(armBase()),
      'meshes/upper.stl': toStl(upperArm()),
      'meshes/fore.stl': toStl(forearm()),
    },
  },
  {
    id: 'rover',
    title: 'Four-wheeled rover',
    description: 'A small mobile base with four driven wheels.',
    category: 'robot',
    tags: ['mobile', 'wheels'],
    files: {
      'rover.urdf': ROVER_URDF,
      'meshes/body.stl': toStl(roverBody()),
      'meshes/wheel.stl': toStl(roverWheel()),
    },
  },
  {
    id: 'gripper',
    title: 'Parallel gripper',
    description: 'Two fingers on slides, for picking up small parts.',
    category: 'robot',
    tags: ['gripper', 'end-effector'],
    files: {
      'gripper.xml': GRIPPER_MJCF,
      'scene.xml': GRIPPER_SCENE,
      'meshes/palm.stl': toStl(palm()),
      'meshes/finger.stl': toStl(finger()),
    },
  },
];

function glb(
  id: string,
  title: string,
  description: string,
  tags: string[],
  mesh: Mesh,
  color: Color,
): SampleAsset {
  return { id, title, description, category: 'prop', tags, files: { [`${id}.glb`]: toGlb(mesh, id, color) } };
}

function obj(
  id: string,
  title: string,
  description: string,
  tags: string[],
  mesh: Mesh,
  color: Color,
): SampleAsset {
  const files = { [`${id}.obj`]: toObj(mesh, id), [`${id}.mtl`]: toMtl(id, color) };
  return { id, title, description, category: 'prop', tags, files };
}

function stl(id: string, title: string, description: string, tags: string[], mesh: Mesh): SampleAsset {
  return { id, title, description, category: 'part', tags, files: { [`${id}.stl`]: toStl(mesh) } };
}

function crate(): Mesh {
  const rails = [-0.24, 0.24].flatMap((x) =>
    [-0.24, 0.24].map((y) => moved(box(0.04, 0.04, 0.52), [x, y, 0])),
  );
  return joined([box(0.46, 0.46, 0.46), ...rails]);
}

function pallet(): Mesh {
  const boards = [-0.35, -0.175, 0, 0.175, 0.35].map((y) => moved(box(1.2, 0.1, 0.022), [0, y, 0.133]));
  const blocks = [-0.55, 0, 0.55].flatMap((x) =>
    [-0.35, 0, 0.35].map((y) => moved(box(0.1, 0.1, 0.1), [x, y, 0.072])),
  );
  return joined([...boards, ...blocks]);
}

function barrel(): Mesh {
  return turned([
    [0, 0],
    [0.29, 0],
    [0.29, 0.28],
    [0.305, 0.29],
    [0.29, 0.3],
    [0.29, 0.58],
    [0.305, 0.59],
    [0.29, 0.6],
    [0.29, 0.88],
    [0, 0.88],
  ]);
}

function cone(): Mesh {
  return joined([
    moved(box(0.36, 0.36, 0.03), [0, 0, 0.015]),
    turned([
      [0.14, 0.03],
      [0.025, 0.5],
      [0, 0.5],
    ]),
  ]);
}

function table(): Mesh {
  const legs = [-0.55, 0.55].flatMap((x) =>
    [-0.3, 0.3].map((y) => moved(box(0.06, 0.06, 0.71), [x, y, 0.355])),
  );
  return joined([moved(box(1.2, 0.7, 0.04), [0, 0, 0.73]), ...legs]);
}

function bracket(): Mesh {
  return joined([
    moved(box(0.04, 0.04, 0.005), [0, 0, 0.0025]),
    moved(box(0.005, 0.04, 0.04), [-0.0175, 0, 0.02]),
  ]);
}

function flange(): Mesh {
  return turned([
    [0.015, 0],
    [0.05, 0],
    [0.05, 0.008],
    [0.031, 0.008],
    [0.031, 0.014],
    [0.015, 0.014],
    [0.015, 0],
  ]);
}
