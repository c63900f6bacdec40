import type { Vector3 } from '../model/matrix.ts';
import type { Plane } from '../model/mechanism.ts';
import type { Primitive } from '../model/primitives.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { isTrue } from './poses.ts';

/** A shape in a `<geometry>`; undefined for what is neither that nor drawn. */
export function primitiveOf(form: XmlElement): Primitive | undefined {
  const number = (name: string) => numbersOf(childNamed(form, name)?.text, [0])[0] ?? 0;
  switch (form.name) {
    case 'box': {
      const [x = 0, y = 0, z = 0] = numbersOf(childNamed(form, 'size')?.text, [1, 1, 1]);
      return { type: 'box', size: [x, y, z] };
    }
    case 'sphere':
      return { type: 'sphere', radius: number('radius') };
    case 'ellipsoid': {
      const [x = 1, y = 1, z = 1] = numbersOf(childNamed(form, 'radii')?.text, [1, 1, 1]);
      return { type: 'ellipsoid', radii: [x, y, z] };
    }
    case 'cylinder':
    case 'capsule':
      return { type: form.name, radius: number('radius'), length: number('length') };
    default:
      return undefined;
  }
}

/** The plane in a `<geometry>`; undefined for other shapes. */
export function planeOf(form: XmlElement): Plane | undefined {
  const [x = 1, y = 1] = numbersOf(childNamed(form, 'size')?.text, [1, 1]);
  return form.name === 'plane' ? { type: 'plane', size: [x, y] } : undefined;
}

/** What a `<mesh>` refers to. */
interface MeshReference {
  readonly reference: string;
  readonly scale: Vector3;
  readonly submesh: { readonly name: string; readonly isCentered: boolean } | undefined;
}

export function meshOf(form: XmlElement): MeshReference {
  const [x = 1, y = 1, z = 1] = numbersOf(childNamed(form, 'scale')?.text, [1, 1, 1]);
  const submesh = childNamed(form, 'submesh');
  return {
    reference: childNamed(form, 'uri')?.text ?? '',
    scale: [x, y, z],
    submesh: submesh && {
      name: childNamed(submesh, 'name')?.text ?? '',
      isCentered: isTrue(childNamed(submesh, 'center')?.text),
    },
  };
}
