import { Unrenderable } from '../reading/errors.ts';
import type { Loss } from '../verdicts.ts';
import { frontOf, type MovableInstance } from './front.ts';
import { atRest, placeBodies } from './kinematics.ts';
import { IDENTITY, multiply, Y_UP_TO_Z_UP } from './matrix.ts';
import { type Body, type Mechanism, ON_EARTH, type Shape } from './mechanism.ts';
import { rectangle, surfaceOf } from './primitives.ts';
import {
  DEFAULT_MATERIAL,
  type Front,
  type Geometry,
  type Instance,
  type RobotCounts,
  type Scene,
} from './scene.ts';
import { chainsOf, handsOf, type Link } from './structure.ts';
import { visibleParts } from './visible-meshes.ts';

/** A mechanism as it is drawn, at rest. Planes are the ground that things stand on; they are drawn if nothing else is. */
export function sceneOfMechanism(mechanism: Mechanism): Scene {
  const movable = movableInstances(mechanism);
  return {
    up: 'z',
    unit: 'm',
    front: frontOf(movable),
    points: [],
    instances: movable.map(({ instance }) => instance),
    robot: countRobot(mechanism),
    hands: handsOf(linksOf(mechanism), movable),
  };
}

/** The direction in which a mechanism faces. */
export function frontOfMechanism(mechanism: Mechanism): Front {
  return frontOf(movableInstances(mechanism));
}

/** Whether it has shapes that end somewhere. */
export function isSolid({ bodies }: Pick<Mechanism, 'bodies'>): boolean {
  return bodies.some(({ shapes }) => shapes.some(({ form }) => form.type !== 'plane'));
}

/** What is drawn of a shape, in the frame of its body. */
export function drawnParts(shape: Shape): Instance[] {
  const { form, pose: transform, material } = shape;
  if (form.type === 'mesh')
    return visibleParts(shape).map(({ geometry, material }) => ({ geometry, material, transform }));
  const [x, y] = (form.type === 'plane' && form.size) || [1, 1];
  const geometry = form.type === 'plane' ? rectangle(x / 2, y / 2) : surfaceOf(form);
  const isTextured = material?.baseColorTexture !== undefined && geometry.uvs === undefined;
  return [
    {
      geometry: isTextured ? withBoxUvs(geometry) : geometry,
      material: material ?? DEFAULT_MATERIAL,
      transform,
    },
  ];
}

/** Counts the bodies of a mechanism and what can move on its own. */
export function countRobot(mechanism: Pick<Mechanism, 'bodies'>): RobotCounts {
  const { bodies } = mechanism;
  const masses = bodies.map(({ inertial }) => inertial?.mass ?? 0).filter(Number.isFinite);
  const joints = bodies.flatMap((body) => body.joints);
  return {
    bodies: bodies.length,
    joints: countMovable(joints),
    mass: masses.reduce((sum, mass) => sum + mass, 0),
    slides: countMovable(joints.filter(({ type }) => type === 'slide')),
    chains: chainsOf(linksOf(mechanism)),
    names: bodies.map(({ name }) => name),
  };
}

function linksOf({ bodies }: Pick<Mechanism, 'bodies'>): Link[] {
  const places = new Map(bodies.map(({ name }, place) => [name, place]));
  return bodies.map(({ name, parent, joints }) => ({
    name,
    parent: parent === undefined ? -1 : (places.get(parent) ?? -1),
    joints: countMovable(joints),
  }));
}

/** Counts joints that move along or around an axis, and do not follow others. */
export function countMovable(
  joints: readonly { readonly type: string; readonly mimics?: unknown }[],
): number {
  return joints.filter(({ type, mimics }) => (type === 'hinge' || type === 'slide') && !mimics).length;
}

/** What moves, and the place of the body that it is on. */
function movableInstances(mechanism: Mechanism): (MovableInstance & { link: number })[] {
  const { bodies } = mechanism;
  const frames = placeBodies(mechanism, atRest(mechanism));
  const hasSolids = isSolid(mechanism);
  const moves = new Map<string, Omit<MovableInstance, 'instance'>>();
  return bodies.flatMap((body, link) => {
    const move = moveOf(body, moves);
    moves.set(body.name, move);
    const frame = frames.get(body.name);
    return body.shapes
      .filter(({ form }) => form.type !== 'plane' || !hasSolids)
      .flatMap(drawnParts)
      .map((instance) => ({
        ...move,
        link,
        instance: frame ? { ...instance, transform: multiply(frame, instance.transform) } : instance,
      }));
  });
}

function moveOf(
  { parent, joints }: Body,
  moves: ReadonlyMap<string, Omit<MovableInstance, 'instance'>>,
): Omit<MovableInstance, 'instance'> {
  const above = (parent === undefined ? undefined : moves.get(parent)) ?? { part: 0, joints: 0 };
  const isMoved = joints.some(({ type }) => type !== 'free');
  return isMoved ? { part: moves.size + 1, joints: above.joints + 1 } : above;
}

/** Texture coordinates that cover each side once: along the two axes in which its normal is shortest. */
function withBoxUvs(geometry: Geometry): Geometry {
  const { positions, normals } = geometry;
  const reach = [0, 1, 2].map((axis) => {
    let max = 1e-9;
    for (let at = axis; at < positions.length; at += 3)
      max = Math.max(max, Math.abs(positions[at] as number));
    return max;
  });
  const uvs = new Float32Array((positions.length / 3) * 2);
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    const of = (values: Float32Array, axis: number) => values[vertex * 3 + axis] as number;
    const along = [0, 1, 2].toSorted(
      (a, b) => Math.abs(of(normals, b)) - Math.abs(of(normals, a)),
    )[0] as number;
    const [u, v] = along === 2 ? [0, 1] : along === 1 ? [0, 2] : [1, 2];
    uvs[vertex * 2] = 0.5 + of(positions, u as number) / (2 * (reach[u as number] as number));
    uvs[vertex * 2 + 1] = 0.5 - of(positions, v as number) / (2 * (reach[v as number] as number));
  }
  return { ...geometry, uvs };
}

/** A scene as a body without mass that stands in the world. @throws Unrenderable for a scene without triangles */
export function mechanismOfScene(name: string, scene: Scene): Mechanism {
  const { up, unit, instances, points, lines = [], animations = 0 } = scene;
  if (instances.length === 0) throw new Unrenderable('it has no triangles to convert');
  const numbered = new Map<string, number>();
  const shapes = instances.map(({ geometry, material, transform, names = [] }) => {
    const own = names[0] ?? name;
    const number = (numbered.get(own) ?? 0) + 1;
    numbered.set(own, number);
    return {
      name: number === 1 ? own : `${own}_${number}`,
      role: 'visual' as const,
      pose: transform,
      form: { type: 'mesh' as const, name: own, parts: [{ geometry, material }] },
      material: undefined,
    };
  });
  const losses: Loss[] = [
    { is: points.length > 0, what: 'points', why: 'only triangles are converted' },
    { is: lines.length > 0, what: 'lines', why: 'only triangles are converted' },
    { is: animations > 0, what: 'animation', why: 'it is converted as it stands at rest' },
    {
      is: unit === undefined,
      what: 'unit of length',
      why: 'the format has none, and is taken to be in metres',
    },
  ].flatMap(({ is, what, why }) => (is ? [{ what, names: [], why }] : []));
  const pose = up === 'y' ? Y_UP_TO_Z_UP : IDENTITY;
  const body = { name, parent: undefined, pose, joints: [], inertial: undefined, shapes };
  // What faces along Z in a frame with Y up faces against Y in one with Z up.
  const front = up === 'y' ? ('-y' as const) : undefined;
  return { name, front, bodies: [body], actuators: [], excluded: [], physics: ON_EARTH, losses, faults: [] };
}
