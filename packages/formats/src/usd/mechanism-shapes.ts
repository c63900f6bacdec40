import {
  decompose,
  IDENTITY,
  type Matrix4,
  multiply,
  scaling,
  translation,
  type Vector3,
} from '../model/matrix.ts';
import type { Form, Shape } from '../model/mechanism.ts';
import type { Instance } from '../model/scene.ts';
import { baked } from '../parts/mechanism-meshes.ts';
import { roundMeasures } from './shapes.ts';
import { type BoundingForm, boundingForm } from './solids.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { numberOf } from './values.ts';

/** What is drawn for a prim as a shape; `toBody` leads to the frame of its body. */
export function shapeOfInstance(
  { geometry, material, transform }: Instance,
  prim: UsdPrim,
  role: Shape['role'],
  toBody: Matrix4,
): Shape {
  const bounding = role === 'collision' ? boundingForm(prim) : undefined;
  const local = multiply(multiply(toBody, transform), translation(...(bounding?.center ?? [0, 0, 0])));
  const { scale } = decompose(local);
  const own = { name: prim.name, role, material: role === 'visual' ? material : undefined };
  const form = bounding === undefined ? simpleForm(prim, scale) : scaledForm(bounding.form, scale);
  const [x, y, z] = scale;
  const upright = multiply(local, scaling(1 / (x || 1), 1 / (y || 1), 1 / (z || 1)));
  if (form !== undefined) return { ...own, pose: upright, form };
  const isScaled = scale.some((factor) => Math.abs(factor - 1) > 1e-9);
  const part = { geometry: isScaled ? baked(geometry, local) : geometry, material };
  return {
    ...own,
    pose: isScaled ? IDENTITY : local,
    form: { type: 'mesh', name: prim.name, parts: [part] },
  };
}

/** A ball that is scaled unevenly is as large as the longest of its axes. */
function scaledForm(form: BoundingForm['form'], scale: Vector3): Form {
  const [x, y, z] = scale.map(Math.abs) as [number, number, number];
  if (form.type === 'sphere') return { type: 'sphere', radius: form.radius * Math.max(x, y, z) };
  return { type: 'box', size: [form.size[0] * x, form.size[1] * y, form.size[2] * z] };
}

/** The form of a prim that is no mesh, and is scaled such that it stays one. */
function simpleForm(prim: UsdPrim, [x, y, z]: readonly [number, number, number]): Form | undefined {
  const { radius, length } = roundMeasures(prim);
  const isRound = Math.abs(x - y) <= 1e-6 * Math.abs(x);
  const isEven = isRound && Math.abs(x - z) <= 1e-6 * Math.abs(x);
  switch (prim.typeName) {
    case 'Cube': {
      const side = Math.abs(numberOf(prim.value('size')) ?? 2);
      return { type: 'box', size: [side * Math.abs(x), side * y, side * z] };
    }
    case 'Sphere':
      return isEven ? { type: 'sphere', radius: radius * Math.abs(x) } : undefined;
    case 'Cylinder':
    case 'Cylinder_1':
      return isRound ? { type: 'cylinder', radius: radius * Math.abs(x), length: length * z } : undefined;
    case 'Capsule':
    case 'Capsule_1':
      return isEven ? { type: 'capsule', radius: radius * Math.abs(x), length: length * z } : undefined;
    case 'Plane':
      return { type: 'plane' };
    default:
      return undefined;
  }
}
