import { box, capsule, cylinder, ellipsoid, rectangle } from '../../geometry/primitives.ts';
import type { Geometry } from '../../scene.ts';
import { childNamed, numbersOf, type XmlElement } from '../xml.ts';

/** The surface of a shape in a `<geometry>`; undefined for other shapes. `planes`: whether planes are drawn. */
export function primitive(form: XmlElement, planes: boolean): Geometry | undefined {
  const number = (name: string) => numbersOf(childNamed(form, name)?.text, [0])[0] ?? 0;
  switch (form.name) {
    case 'box': {
      const [x = 0, y = 0, z = 0] = numbersOf(childNamed(form, 'size')?.text, [1, 1, 1]);
      return box(x / 2, y / 2, z / 2);
    }
    case 'sphere':
      return ellipsoid(number('radius'), number('radius'), number('radius'));
    case 'ellipsoid': {
      const [x = 1, y = 1, z = 1] = numbersOf(childNamed(form, 'radii')?.text, [1, 1, 1]);
      return ellipsoid(x, y, z);
    }
    case 'cylinder':
      return cylinder(number('radius'), number('length') / 2);
    case 'capsule':
      return capsule(number('radius'), number('length') / 2);
    case 'plane': {
      const [x = 1, y = 1] = numbersOf(childNamed(form, 'size')?.text, [1, 1]);
      return planes ? rectangle(x / 2, y / 2) : undefined;
    }
    default:
      return undefined;
  }
}
