import type { LoadContext } from '../context.ts';
import { compose, cross, IDENTITY, type Matrix4, multiply, unit } from '../model/matrix.ts';
import type { Form, Shape } from '../model/mechanism.ts';
import { MechanismMeshes } from '../parts/mechanism-meshes.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { meshOf, planeOf, primitiveOf } from './forms.ts';
import { SdfMaterials } from './materials.ts';
import { poseOf } from './poses.ts';

/** What a visual or a collision of a link is called among all shapes. */
export function shapeName({ name: role, attributes }: XmlElement, link: string): string {
  return `${link}_${attributes.name || role}`;
}

/** The shapes of links. */
export class SdfShapes {
  readonly #context: LoadContext;
  readonly #meshes: MechanismMeshes;
  readonly #materials: SdfMaterials;

  constructor(context: LoadContext) {
    this.#context = context;
    this.#meshes = new MechanismMeshes(context);
    this.#materials = new SdfMaterials(context);
  }

  /** What cannot be read is left out and reported as missing. */
  async of(
    link: XmlElement,
    linkName: string,
    path: string,
    roles: readonly Shape['role'][],
  ): Promise<Shape[]> {
    const shapes: Shape[] = [];
    for (const element of link.children) {
      if (element.name === 'particle_emitter') this.#noteMissing(element, 'particle effects are not drawn');
      const role = roles.find((one) => one === element.name);
      const written = childNamed(element, 'geometry')?.children[0];
      if (role === undefined || written === undefined || written.name === 'empty') continue;
      const name = shapeName(element, linkName);
      const material = role === 'visual' ? await this.#materials.materialOf(element, path) : undefined;
      const form = await this.#formOf(written, path, material !== undefined);
      if (form === undefined) {
        if (written.name !== 'mesh')
          this.#noteMissing(element, `shapes of kind ${toMessageText(written.name)} are not drawn`);
        continue;
      }
      const pose = form.type === 'plane' ? multiply(poseOf(element), facing(written)) : poseOf(element);
      const friction = role === 'collision' ? frictionOf(element) : undefined;
      shapes.push({ name, role, pose, form, material, ...(friction !== undefined && { friction }) });
    }
    return shapes;
  }

  #noteMissing({ name: kind, attributes }: XmlElement, reason: string): void {
    const name = attributes.name ?? kind;
    this.#context.omissions.count('meshes', name);
    this.#context.omissions.omit('meshes', name, reason);
  }

  async #formOf(written: XmlElement, from: string, isPainted: boolean): Promise<Form | undefined> {
    if (written.name === 'mesh') return this.#meshes.mesh({ ...meshOf(written), from, isPainted });
    return planeOf(written) ?? primitiveOf(written);
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
