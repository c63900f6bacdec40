import type { LoadContext } from '../context.ts';
import { srgbToLinear } from '../images/pixels.ts';
import type { Vector3 } from '../model/matrix.ts';
import type { Mesh, Shape } from '../model/mechanism.ts';
import type { Primitive } from '../model/primitives.ts';
import { DEFAULT_MATERIAL, type Material, type Texture } from '../model/scene.ts';
import { MechanismMeshes } from '../parts/mechanism-meshes.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { type GltfAxes, isGltfFile } from './gltf-axes.ts';
import { originOf } from './origin.ts';

/** The shapes of a robot's links. */
export class LinkShapes {
  readonly #entry: string;
  readonly #context: LoadContext;
  readonly #meshes: MechanismMeshes;
  readonly #materials: ReadonlyMap<string, XmlElement>;

  constructor(robot: XmlElement, entry: string, context: LoadContext) {
    this.#entry = entry;
    this.#context = context;
    this.#meshes = new MechanismMeshes(context);
    this.#materials = namedMaterials(robot);
  }

  /** Meshes that cannot be read are left out and reported as missing; so are shapes of kinds that URDF does not have. */
  async of(
    link: XmlElement,
    roles: readonly Shape['role'][],
    axes: Exclude<GltfAxes, 'unknown'>,
  ): Promise<Shape[]> {
    const shapes: Shape[] = [];
    for (const element of link.children) {
      const role = roles.find((one) => one === element.name);
      const form = role && formOf(childNamed(element, 'geometry')?.children[0]);
      if (role === undefined || form === undefined) continue;
      const read = form.type === 'mesh' ? await this.#mesh(form, axes) : form;
      if (read === undefined) continue;
      shapes.push({
        name: element.attributes.name || `${link.attributes.name ?? ''}_${role}`,
        role,
        pose: originOf(element),
        form: read,
        material: await this.#material(childNamed(element, 'material')),
      });
    }
    return shapes;
  }

  #mesh(form: MeshForm, axes: GltfAxes): Promise<Mesh | undefined> {
    const isOfLink = axes === 'as-link' && isGltfFile(form.reference);
    return this.#meshes.mesh({ ...form, from: this.#entry, isOfLink });
  }

  async #material(element: XmlElement | undefined): Promise<Material | undefined> {
    if (element === undefined) return undefined;
    const named = this.#materials.get(element.attributes.name ?? '');
    const color = childNamed(named, 'color') ?? childNamed(element, 'color');
    const file = childNamed(named, 'texture') ?? childNamed(element, 'texture');
    if (color === undefined && file === undefined) return undefined;
    const [red = 1, green = 1, blue = 1, alpha = 1] = numbersOf(color?.attributes.rgba, [1, 1, 1, 1]);
    return {
      ...DEFAULT_MATERIAL,
      baseColor: [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), alpha],
      baseColorTexture: file && (await this.#texture(file.attributes.filename ?? '')),
      alphaMode: alpha < 0.999 ? 'blend' : 'opaque',
    };
  }

  #texture(reference: string): Promise<Texture | undefined> {
    const { files, textures } = this.#context;
    return textures.loadReferenced(reference, files.resolve(this.#entry, reference));
  }
}

/** Materials by name hold for the whole robot, wherever they are described first (`urdfdom`, model.cpp). */
function namedMaterials(robot: XmlElement): Map<string, XmlElement> {
  const ofLinks = childrenNamed(robot, 'link').flatMap(({ children }) =>
    children.filter(({ name }) => name === 'visual').flatMap((visual) => childrenNamed(visual, 'material')),
  );
  const named = new Map<string, XmlElement>();
  for (const material of [...childrenNamed(robot, 'material'), ...ofLinks]) {
    const { name = '' } = material.attributes;
    if (name !== '' && !named.has(name) && material.children.length > 0) named.set(name, material);
  }
  return named;
}

/** A mesh file, which the robot scales. */
interface MeshForm {
  readonly type: 'mesh';
  readonly reference: string;
  readonly scale: Vector3;
}

function formOf(form: XmlElement | undefined): Primitive | MeshForm | undefined {
  const { radius, length, size, filename, uri = '', scale } = form?.attributes ?? {};
  const number = (text: string | undefined) => numbersOf(text, [0])[0] ?? 0;
  switch (form?.name) {
    case 'box': {
      const [x = 0, y = 0, z = 0] = numbersOf(size, [0, 0, 0]);
      return { type: 'box', size: [x, y, z] };
    }
    case 'sphere':
      return { type: 'sphere', radius: number(radius) };
    case 'cylinder':
    case 'capsule':
      return { type: form.name, radius: number(radius), length: number(length) };
    case 'mesh': {
      const [uniform = 1] = numbersOf(scale, [1]);
      const [x = 1, y = 1, z = 1] = numbersOf(scale, [uniform, uniform, uniform]);
      return { type: 'mesh', reference: filename ?? uri, scale: [x, y, z] };
    }
    default:
      return undefined;
  }
}
