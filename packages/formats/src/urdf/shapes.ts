import type { LoadContext } from '../context.ts';
import { srgbToLinear } from '../images/srgb.ts';
import type { Matrix4, Vector3 } from '../model/matrix.ts';
import { type Primitive, surfaceOf } from '../model/primitives.ts';
import { DEFAULT_MATERIAL, type Instance, type Material, type Texture } from '../model/scene.ts';
import { PartMeshes } from '../parts/part-meshes.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { type LinkShape, originOf } from './links.ts';

/** A shape of a link as the file describes it. */
export interface DescribedShape {
  readonly link: string;
  readonly name: string | undefined;
  /** From the frame of the shape to that of the link. */
  readonly transform: Matrix4;
  readonly form: Primitive | MeshForm;
  readonly material: Material | undefined;
}

/** A mesh file, which the robot scales. */
export interface MeshForm {
  readonly type: 'mesh';
  readonly reference: string;
  readonly scale: Vector3;
}

/** The shapes of a robot in URDF. */
export class RobotShapes {
  readonly #robot: XmlElement;
  readonly #entry: string;
  readonly #context: LoadContext;

  constructor(robot: XmlElement, entry: string, context: LoadContext) {
    this.#robot = robot;
    this.#entry = entry;
    this.#context = context;
  }

  /** Describes the shapes, without those of kinds that URDF does not have. */
  async described(role: 'visual' | 'collision'): Promise<DescribedShape[]> {
    const shapes: DescribedShape[] = [];
    for (const { attributes, children } of childrenNamed(this.#robot, 'link')) {
      for (const shape of children.filter((child) => child.name === role)) {
        const form = formOf(childNamed(shape, 'geometry')?.children[0]);
        if (form === undefined) continue;
        shapes.push({
          link: attributes.name ?? '',
          name: shape.attributes.name,
          transform: originOf(shape),
          form,
          material: await this.#material(childNamed(shape, 'material')),
        });
      }
    }
    return shapes;
  }

  /** The shapes with their triangles; meshes that cannot be read are left out and reported as missing. */
  async instances(role: 'visual' | 'collision'): Promise<LinkShape[]> {
    const meshes = new PartMeshes(this.#context);
    const shapes: LinkShape[] = [];
    for (const { link, transform, form, material } of await this.described(role)) {
      const instances: Instance[] =
        form.type === 'mesh'
          ? await meshes.place({ ...form, from: this.#entry, transform, material, keepsOwnMaterials: true })
          : [{ geometry: surfaceOf(form), material: material ?? DEFAULT_MATERIAL, transform }];
      shapes.push(...instances.map((instance) => ({ link, instance })));
    }
    return shapes;
  }

  async #material(element: XmlElement | undefined): Promise<Material | undefined> {
    if (element === undefined) return undefined;
    const named = childrenNamed(this.#robot, 'material').find(
      (one) => one.attributes.name === element.attributes.name,
    );
    const color = childNamed(element, 'color') ?? childNamed(named, 'color');
    const file = childNamed(element, 'texture') ?? childNamed(named, 'texture');
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
