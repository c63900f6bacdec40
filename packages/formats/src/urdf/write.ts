import type { FormatWriter } from '../format.ts';
import { IDENTITY, type Matrix4, rollPitchYawOf, translation } from '../model/matrix.ts';
import type { Body, Inertial, Joint, Mechanism, Shape } from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';
import { MeshFiles } from '../writing/mesh-files.ts';
import { type Element, element, xmlDocument } from '../writing/xml.ts';
import { forUrdf } from './adapt.ts';
import { UNLIMITED } from './joints.ts';

export const URDF_ENTRY = 'robot.urdf';

export const writer: FormatWriter = { entry: URDF_ENTRY, adapt: forUrdf, write: writeUrdf };

/** Writes a mechanism that URDF can say, whose bodies have one joint each. */
export async function writeUrdf({ name, bodies }: Mechanism): Promise<ReadonlyMap<string, Uint8Array>> {
  const meshes = new MeshFiles();
  const tops = bodies.filter(({ parent }) => parent === undefined);
  const hasWorld = tops.some((body) => body.name === WORLD);
  // A robot that floats by itself is its own root; else everything hangs on the world.
  const root = tops.length === 1 && tops[0]?.joints[0]?.type === 'free' ? tops[0].name : undefined;
  const elements = bodies.flatMap((body) => [
    linkElement(body, meshes),
    ...(body.name === root || body.name === WORLD ? [] : [jointElement(body)]),
  ]);
  const world = root !== undefined || hasWorld ? [] : [element('link', { name: WORLD })];
  const document = xmlDocument(element('robot', { name }, [...world, ...elements]));
  return new Map([[URDF_ENTRY, document], ...(await meshes.files())]);
}

function linkElement({ name, inertial, shapes }: Body, meshes: MeshFiles): Element {
  return element('link', { name }, [
    inertial && inertialElement(inertial),
    ...shapes.map((shape) => shapeElement(shape, meshes)),
  ]);
}

function inertialElement({ mass, center, inertia }: Inertial): Element {
  const [ixx, iyy, izz, ixy, ixz, iyz] = inertia;
  return element('inertial', {}, [
    originElement(translation(...center)),
    element('mass', { value: mass }),
    element('inertia', { ixx, iyy, izz, ixy, ixz, iyz }),
  ]);
}

function originElement(pose: Matrix4): Element | undefined {
  if (pose.every((value, at) => value === IDENTITY[at])) return undefined;
  return element('origin', { xyz: [pose[12], pose[13], pose[14]], rpy: rollPitchYawOf(pose) });
}

const TYPES = { free: 'floating', ball: 'floating', hinge: 'revolute', slide: 'prismatic' } as const;

function jointElement({ name: child, parent = WORLD, pose, joints: [joint] }: Body): Element {
  const ends = [originElement(pose), element('parent', { link: parent }), element('child', { link: child })];
  if (joint === undefined) return element('joint', { name: `${child}_fixed`, type: 'fixed' }, ends);
  const { name, type } = joint;
  if (type === 'free' || type === 'ball') return element('joint', { name, type: TYPES[type] }, ends);
  const isContinuous = type === 'hinge' && joint.limits === undefined;
  return element('joint', { name, type: isContinuous ? 'continuous' : TYPES[type] }, [
    ...ends,
    element('axis', { xyz: joint.axis }),
    limitElement(joint, isContinuous),
    dynamicsElement(joint),
    joint.mimics && element('mimic', { ...joint.mimics }),
  ]);
}

function limitElement({ limits, effort, velocity }: Joint, isContinuous: boolean): Element {
  const [lower, upper] = isContinuous ? [] : (limits ?? [-UNLIMITED, UNLIMITED]);
  return element('limit', { lower, upper, effort: effort ?? UNLIMITED, velocity: velocity ?? UNLIMITED });
}

function dynamicsElement({ damping, friction }: Joint): Element | undefined {
  return damping === 0 && friction === 0 ? undefined : element('dynamics', { damping, friction });
}

function shapeElement({ name, role, pose, form, material }: Shape, meshes: MeshFiles): Element {
  if (form.type === 'mesh') {
    const { path, hasMaterials } = meshes.fileOf(form, role, material);
    return element(role, { name }, [
      originElement(pose),
      element('geometry', {}, [element('mesh', { filename: path })]),
      role === 'visual' && !hasMaterials ? materialElement(material, meshes) : undefined,
    ]);
  }
  return element(role, { name }, [
    originElement(pose),
    element('geometry', {}, [primitiveElement(form)]),
    role === 'visual' ? materialElement(material, meshes) : undefined,
  ]);
}

function primitiveElement(form: Exclude<Shape['form'], { type: 'mesh' }>): Element {
  switch (form.type) {
    case 'box':
      return element('box', { size: form.size });
    case 'sphere':
      return element('sphere', { radius: form.radius });
    case 'cylinder':
      return element('cylinder', { radius: form.radius, length: form.length });
    default:
      throw new Error(`URDF has no ${form.type}`);
  }
}

function materialElement(material: Shape['material'], meshes: MeshFiles): Element | undefined {
  if (material === undefined) return undefined;
  const { rgba, texture } = meshes.paintOf(material);
  return element('material', { name: meshes.materialName(material) }, [
    element('color', { rgba }),
    texture === undefined ? undefined : element('texture', { filename: texture }),
  ]);
}
