import type { FormatWriter } from '../format.ts';
import { principalInertia } from '../model/inertia.ts';
import { atRest } from '../model/kinematics.ts';
import { type Matrix4, multiply, turnOf } from '../model/matrix.ts';
import {
  type Actuator,
  type Body,
  type Inertial,
  type Joint,
  type Mechanism,
  type Mesh,
  ON_EARTH,
  type Physics,
  type Shape,
} from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';
import { type Element, element, xmlDocument } from '../writing/xml.ts';
import { forMujoco } from './adapt.ts';
import { MjcfAssets } from './write-assets.ts';

export const MJCF_ENTRY = 'model.xml';

export const writer: FormatWriter = { entry: MJCF_ENTRY, adapt: forMujoco, write: writeMjcf };

/** Writes a mechanism that MuJoCo accepts. */
export async function writeMjcf(mechanism: Mechanism): Promise<ReadonlyMap<string, Uint8Array>> {
  const assets = new MjcfAssets();
  const { bodies, name } = mechanism;
  const byParent = Map.groupBy(bodies, ({ parent }) => parent);
  const written: Body[] = [];
  const bodyElement = (body: Body): Element => {
    written.push(body);
    return element('body', { name: body.name, ...poseOf(body.pose) }, [
      body.inertial && inertialElement(body.inertial),
      ...body.joints.map(jointElement),
      ...shapeElements(body.shapes, assets),
      ...(byParent.get(body.name) ?? []).map(bodyElement),
    ]);
  };
  const worldElements = (body: Body) =>
    body.name !== WORLD
      ? [bodyElement(body)]
      : shapeElements(
          body.shapes.map((shape) => ({ ...shape, pose: multiply(body.pose, shape.pose) })),
          assets,
        );
  const world = element('worldbody', {}, (byParent.get(undefined) ?? []).flatMap(worldElements));
  const root = element('mujoco', { model: name }, [
    element('compiler', {
      angle: 'radian',
      meshdir: 'meshes',
      texturedir: 'textures',
      inertiafromgeom: 'false',
      autolimits: 'true',
    }),
    optionElement(mechanism.physics),
    element('default', {}, [
      element('default', { class: 'visual' }, [element('geom', { group: 2, contype: 0, conaffinity: 0 })]),
      element('default', { class: 'collision' }, [element('geom', { group: 3 })]),
    ]),
    section('asset', assets.elements),
    world,
    section(
      'contact',
      mechanism.excluded.map(([body1, body2]) => element('exclude', { body1, body2 })),
    ),
    section('equality', mimicElements(bodies)),
    section('actuator', mechanism.actuators.map(actuatorElement)),
    section('keyframe', keyframes(written)),
  ]);
  return new Map([[MJCF_ENTRY, xmlDocument(root)], ...(await assets.files())]);
}

function section(name: string, children: readonly Element[]): Element | undefined {
  return children.length === 0 ? undefined : element(name, {}, children);
}

/** What is as MuJoCo has it anyway is not written. */
function optionElement({ gravity, timestep }: Physics): Element | undefined {
  const isUsual = gravity.every((part, axis) => part === ON_EARTH.gravity[axis]);
  if (isUsual && timestep === undefined) return undefined;
  return element('option', { timestep, gravity: isUsual ? undefined : gravity });
}

function poseOf(pose: Matrix4): { pos?: readonly number[]; quat?: readonly number[] } {
  const pos = [pose[12], pose[13], pose[14]];
  const [x, y, z, w] = turnOf(pose);
  return {
    ...(pos.some((value) => value !== 0) && { pos }),
    ...((x !== 0 || y !== 0 || z !== 0) && { quat: [w, x, y, z] }),
  };
}

/** Moments are written whole, however small they are. */
function inertialElement({ mass, center, inertia }: Inertial): Element {
  const [xx, yy, zz, ...products] = inertia;
  if (products.every((product) => product === 0))
    return element('inertial', { pos: center, mass, diaginertia: [xx, yy, zz].join(' ') });
  const { moments, turn } = principalInertia(inertia);
  const [x, y, z, w] = turn;
  return element('inertial', { pos: center, quat: [w, x, y, z], mass, diaginertia: moments.join(' ') });
}

function jointElement(joint: Joint): Element {
  const { name, type, anchor, axis, reference, limits, effort } = joint;
  const used = (value: number) => (value === 0 ? undefined : value);
  const isPlain = [joint.damping, joint.friction, joint.armature, joint.stiffness].every((one) => one === 0);
  if (type === 'free' && isPlain) return element('freejoint', { name });
  const isSingle = type === 'hinge' || type === 'slide';
  return element('joint', {
    name,
    type,
    pos: anchor.some((value) => value !== 0) ? anchor : undefined,
    axis: isSingle ? axis : undefined,
    range: limits,
    ref: used(reference),
    damping: used(joint.damping),
    frictionloss: used(joint.friction),
    armature: used(joint.armature),
    stiffness: used(joint.stiffness),
    springref: used(joint.springReference),
    actuatorfrcrange: effort === undefined ? undefined : [-effort, effort],
  });
}

/** MuJoCo couples how far two joints are from their references. */
function mimicElements(bodies: readonly Body[]): Element[] {
  const joints = bodies.flatMap((body) => body.joints);
  const references = new Map(joints.map(({ name, reference }) => [name, reference]));
  return joints.flatMap(({ name, reference, mimics }) => {
    if (mimics === undefined) return [];
    const { joint, multiplier, offset } = mimics;
    const moved = offset + multiplier * (references.get(joint) ?? 0) - reference;
    return [element('joint', { joint1: name, joint2: joint, polycoef: [moved, multiplier, 0, 0, 0] })];
  });
}

/** A first state for a mechanism that cannot be at its reference. `bodies` are in the order in which they are written. */
function keyframes(bodies: readonly Body[]): Element[] {
  const rest = atRest({ bodies });
  const joints = bodies.flatMap((body) => body.joints);
  const isPossible = joints.every(({ name, reference }) => {
    const value = rest.get(name);
    return typeof value !== 'number' || value === reference;
  });
  if (isPossible) return [];
  const qpos = bodies.flatMap((body) =>
    body.joints.flatMap(({ name, type, reference }) => {
      const value = rest.get(type === 'free' ? body.name : name) ?? reference;
      if (typeof value === 'number') return [value];
      const [x, y, z, w] = turnOf(value);
      return type === 'free' ? [value[12], value[13], value[14], w, x, y, z] : [w, x, y, z];
    }),
  );
  return [element('key', { name: 'rest', qpos })];
}

function actuatorElement({ name, joint, type, range, forceRange, gear, kp, kv }: Actuator): Element {
  const gains = { motor: {}, position: { kp, kv: kv || undefined }, velocity: { kv } }[type];
  const geared = gear === 1 ? undefined : gear;
  return element(type, { name, joint, gear: geared, ctrlrange: range, forcerange: forceRange, ...gains });
}

function shapeElements(shapes: readonly Shape[], assets: MjcfAssets): Element[] {
  return shapes.flatMap((shape) => {
    const { form, role, pose, material, friction } = shape;
    const common = { class: role, ...poseOf(pose) };
    if (form.type !== 'mesh') {
      const paint = role === 'visual' ? assets.paint(material) : {};
      return [
        element('geom', {
          name: assets.geomNames.unique(shape.name),
          ...common,
          ...sizeOf(form),
          ...paint,
          friction,
        }),
      ];
    }
    return form.parts.map((part) => {
      const paint = role === 'visual' ? assets.paint(part.material ?? material) : {};
      const name = assets.geomNames.unique(shape.name);
      return element('geom', {
        name,
        ...common,
        type: 'mesh',
        mesh: assets.mesh(form, part),
        ...paint,
        friction,
      });
    });
  });
}

function sizeOf(form: Exclude<Shape['form'], Mesh>): { type: string; size: readonly number[] } {
  const { type } = form;
  switch (type) {
    case 'box':
      return { type, size: form.size.map((side) => side / 2) };
    case 'sphere':
      return { type, size: [form.radius] };
    case 'ellipsoid':
      return { type, size: form.radii };
    case 'cylinder':
    case 'capsule':
      return { type, size: [form.radius, form.length / 2] };
    case 'plane':
      return { type, size: [0, 0, 1] };
  }
}
