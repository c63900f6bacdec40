import type { FormatWriter } from '../format.ts';
import { placeBodies } from '../model/kinematics.ts';
import { IDENTITY, type Matrix4, rollPitchYawOf, translation } from '../model/matrix.ts';
import type { Body, Inertial, Joint, Mechanism, Shape } from '../model/mechanism.ts';
import { MeshFiles } from '../writing/mesh-files.ts';
import { UniqueNames } from '../writing/names.ts';
import { type Element, element, textElement, xmlDocument } from '../writing/xml.ts';
import { forSdf, sdfNames } from './adapt.ts';

export const SDF_ENTRY = 'model.sdf';

export const writer: FormatWriter = { entry: SDF_ENTRY, adapt: forSdf, names: sdfNames, write: writeSdf };

/** Joints that follow others came with the second. */
const [VERSION, VERSION_OF_MIMICS] = ['1.9', '1.11'];

/** Writes a mechanism that SDFormat can say as one model, whose bodies have one joint each. */
export async function writeSdf({ name, bodies }: Mechanism): Promise<ReadonlyMap<string, Uint8Array>> {
  const meshes = new MeshFiles();
  const frames = placeBodies({ bodies }, new Map());
  const hasMimics = bodies.some(({ joints }) => joints.some(({ mimics }) => mimics !== undefined));
  const version = hasMimics ? VERSION_OF_MIMICS : VERSION;
  const model = element('model', { name }, [
    ...bodies.map((body) => linkElement(body, frames.get(body.name) ?? IDENTITY, meshes)),
    ...bodies.flatMap(jointElement),
  ]);
  const config = element('model', {}, [
    textElement('name', name),
    textElement('version', '1.0'),
    textElement('sdf', SDF_ENTRY, { version }),
  ]);
  return new Map([
    [SDF_ENTRY, xmlDocument(element('sdf', { version }, [model]))],
    ['model.config', xmlDocument(config)],
    ...(await meshes.files()),
  ]);
}

function poseElement(pose: Matrix4): Element | undefined {
  if (pose.every((value, at) => value === IDENTITY[at])) return undefined;
  return textElement('pose', [pose[12], pose[13], pose[14], ...rollPitchYawOf(pose)]);
}

function linkElement({ name, inertial, shapes }: Body, frame: Matrix4, meshes: MeshFiles): Element {
  const names = new UniqueNames();
  return element('link', { name }, [
    poseElement(frame),
    inertial && inertialElement(inertial),
    ...shapes.map((shape) => shapeElement(shape, names.unique(shape.name), meshes)),
  ]);
}

function inertialElement({ mass, center, inertia }: Inertial): Element {
  const [ixx, iyy, izz, ixy, ixz, iyz] = inertia;
  const moments = Object.entries({ ixx, iyy, izz, ixy, ixz, iyz });
  return element('inertial', {}, [
    poseElement(translation(...center)),
    textElement('mass', mass),
    element(
      'inertia',
      {},
      moments.map(([name, moment]) => textElement(name, moment)),
    ),
  ]);
}

function jointElement({ name: child, parent = 'world', joints: [joint] }: Body): Element[] {
  if (joint?.type === 'free') return [];
  const ends = [textElement('parent', parent), textElement('child', child)];
  if (joint === undefined) return [element('joint', { name: `${child}_fixed`, type: 'fixed' }, ends)];
  return [
    element('joint', { name: joint.name, type: typeOf(joint) }, [
      ...ends,
      poseElement(translation(...joint.anchor)),
      joint.type === 'ball' ? undefined : axisElement(joint),
    ]),
  ];
}

function typeOf({ type, limits }: Joint): string {
  if (type === 'ball') return 'ball';
  if (type === 'slide') return 'prismatic';
  return limits === undefined ? 'continuous' : 'revolute';
}

function axisElement(joint: Joint): Element {
  const { axis, limits, effort, velocity, damping, friction, stiffness, springReference, mimics } = joint;
  const [lower, upper] = limits ?? [];
  return element('axis', {}, [
    textElement('xyz', axis),
    mimics &&
      element('mimic', { joint: mimics.joint }, [
        textElement('multiplier', mimics.multiplier),
        textElement('offset', mimics.offset),
        textElement('reference', 0),
      ]),
    numbersElement('limit', { lower, upper, effort, velocity }),
    numbersElement('dynamics', {
      damping: damping || undefined,
      friction: friction || undefined,
      spring_reference: stiffness === 0 ? undefined : springReference,
      spring_stiffness: stiffness || undefined,
    }),
  ]);
}

/** An element with numbers; none if it has no number. */
function numbersElement(
  name: string,
  numbers: Readonly<Record<string, number | undefined>>,
): Element | undefined {
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? undefined
    : element(
        name,
        {},
        given.map(([key, value]) => textElement(key, value)),
      );
}

function shapeElement(shape: Shape, name: string, meshes: MeshFiles): Element {
  const { role, pose, form, material, friction } = shape;
  const file = form.type === 'mesh' ? meshes.fileOf(form, role, material) : undefined;
  const geometry =
    form.type === 'mesh' ? element('mesh', {}, [textElement('uri', file?.path)]) : primitiveElement(form);
  const isPainted = role === 'visual' && material !== undefined && !file?.hasMaterials;
  const ode = friction === undefined ? undefined : numbersElement('ode', { mu: friction, mu2: friction });
  return element(role, { name }, [
    poseElement(pose),
    element('geometry', {}, [geometry]),
    isPainted ? materialElement(meshes.paintOf(material).rgba) : undefined,
    ode && element('surface', {}, [element('friction', {}, [ode])]),
  ]);
}

function primitiveElement(form: Exclude<Shape['form'], { type: 'mesh' }>): Element {
  switch (form.type) {
    case 'box':
      return element('box', {}, [textElement('size', form.size)]);
    case 'sphere':
      return element('sphere', {}, [textElement('radius', form.radius)]);
    case 'ellipsoid':
      return element('ellipsoid', {}, [textElement('radii', form.radii)]);
    case 'plane':
      return element('plane', {}, [textElement('normal', [0, 0, 1]), textElement('size', [100, 100])]);
    default:
      return element(form.type, {}, [textElement('radius', form.radius), textElement('length', form.length)]);
  }
}

function materialElement(rgba: readonly number[]): Element {
  return element('material', {}, [textElement('ambient', rgba), textElement('diffuse', rgba)]);
}
