import type { Vector3 } from '../model/matrix.ts';
import { type Primitive, rectangle } from '../model/primitives.ts';
import type { Geometry } from '../model/scene.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { isTrue } from './models.ts';

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

/** The surface of a plane in a `<geometry>`; undefined for other shapes. */
export function planeOf(form: XmlElement): Geometry | undefined {
  const [x = 1, y = 1] = numbersOf(childNamed(form, 'size')?.text, [1, 1]);
  return form.name === 'plane' ? rectangle(x / 2, y / 2) : undefined;
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

/** Texture coordinates that cover each side once: along the two axes in which its normal is shortest. */
export function withBoxUvs(geometry: Geometry): Geometry {
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
