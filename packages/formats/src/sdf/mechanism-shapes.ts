import type { LoadContext } from '../context.ts';
import type { LossList } from '../model/losses.ts';
import { compose, cross, IDENTITY, type Matrix4, multiply, unit } from '../model/matrix.ts';
import type { Form, Shape } from '../model/mechanism.ts';
import { MechanismMeshes } from '../parts/mechanism-meshes.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { SdfMaterials } from './materials.ts';
import { poseOf } from './poses.ts';
import { meshOf, planeOf, primitiveOf } from './primitive.ts';

/** The shapes of links. */
export class SdfShapes {
  readonly #losses: LossList;
  readonly #meshes: MechanismMeshes;
  readonly #materials: SdfMaterials;

  constructor(context: LoadContext, losses: LossList) {
    this.#losses = losses;
    this.#meshes = new MechanismMeshes(context);
    this.#materials = new SdfMaterials(context);
  }

  async of(link: XmlElement, linkName: string, path: string): Promise<Shape[]> {
    const shapes: Shape[] = [];
    for (const element of link.children) {
      if (element.name !== 'visual' && element.name !== 'collision') continue;
      const role = element.name;
      const name = `${linkName}_${element.attributes.name || role}`;
      const written = childNamed(element, 'geometry')?.children[0];
      if (written === undefined || written.name === 'empty') continue;
      const material = role === 'visual' ? await this.#materials.materialOf(element, path) : undefined;
      const form = await this.#formOf(written, path, material !== undefined);
      if (form === undefined) {
        if (written.name !== 'mesh')
          this.#losses.add('shape', name, `shapes of kind ${toMessageText(written.name)} are not converted`);
        continue;
      }
      const pose = form.type === 'plane' ? multiply(poseOf(element), facing(written)) : poseOf(element);
      const friction = role === 'collision' ? frictionOf(element) : undefined;
      shapes.push({ name, role, pose, form, material, ...(friction !== undefined && { friction }) });
    }
    return shapes;
  }

  async #formOf(written: XmlElement, from: string, isPainted: boolean): Promise<Form | undefined> {
    if (written.name === 'mesh') return this.#meshes.mesh({ ...meshOf(written), from, isPainted });
    return planeOf(written) === undefined ? primitiveOf(written) : { type: 'plane' };
  }
}

/** Turns Z to where a plane faces. */
function facing(plane: XmlElement): Matrix4 {
  const [x = 0, y = 0, z = 1] = numbersOf(childNamed(plane, 'normal')?.text, [0, 0, 1]);
  const normal = unit([x, y, z]);
  if (Math.hypot(...normal) === 0 || normal[2] > 0.999999) return IDENTITY;
  if (normal[2] < -0.999999) return compose([0, 0, 0], [1, 0, 0, 0], [1, 1, 1]);
  const [i, j, k] = cross([0, 0, 1], normal);
  const length = Math.hypot(i, j, k, 1 + normal[2]);
  return compose([0, 0, 0], [i / length, j / length, k / length, (1 + normal[2]) / length], [1, 1, 1]);
}

function frictionOf(collision: XmlElement): number | undefined {
  const ode = childNamed(childNamed(childNamed(collision, 'surface'), 'friction'), 'ode');
  const [mu = -1] = numbersOf(childNamed(ode, 'mu')?.text, [-1]);
  return mu >= 0 ? mu : undefined;
}
