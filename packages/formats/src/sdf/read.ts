import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { frontOf, type MovableInstance } from '../model/front.ts';
import { IDENTITY, inverse, type Matrix4, multiply } from '../model/matrix.ts';
import { surfaceOf } from '../model/primitives.ts';
import { DEFAULT_MATERIAL, type Material, type Scene } from '../model/scene.ts';
import { PartMeshes } from '../parts/part-meshes.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { NothingVisible } from '../reading/errors.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { countRobot, type JointedRobot, type LinkShape, type RobotJoint } from '../urdf/links.ts';
import { SdfMaterials } from './materials.ts';
import { type PlacedModel, readModels } from './models.ts';
import { jointsAbove, massOf, poseOf, readJoint } from './poses.ts';
import { meshOf, planeOf, primitiveOf, withBoxUvs } from './primitive.ts';

export const reader: FormatReader = { readScene: loadSdf };

/**
 * Loads a model or a world in SDFormat (sdformat.org/spec) with all joints at zero: the visuals of its links, or their
 * collision shapes if it has none. Planes are the ground that things stand on; they are drawn if there is nothing else.
 */
export async function loadSdf(entry: string, context: LoadContext): Promise<Scene> {
  for (const wanted of [
    { role: 'visual', planes: false },
    { role: 'collision', planes: false },
    { role: 'visual', planes: true },
  ] as const) {
    const { shapes, robot } = await new SdfLoader(context, wanted).load(entry);
    if (shapes.length > 0) {
      return {
        up: 'z',
        unit: 'm',
        front: frontOf(shapes),
        points: [],
        instances: shapes.map(({ instance }) => instance),
        robot: countRobot(robot),
      };
    }
  }
  throw new NothingVisible('it has no shapes');
}

/** Like `loadSdf`, but with joints that can be moved. */
export async function loadSdfRobot(
  entry: string,
  context: LoadContext,
  role?: 'collision',
): Promise<JointedRobot> {
  const visuals = await new SdfLoader(context, { role: role ?? 'visual', planes: false }).load(entry);
  if (visuals.shapes.length > 0 || role !== undefined) return visuals.robot;
  return (await new SdfLoader(context, { role: 'collision', planes: false }).load(entry)).robot;
}

/** What carries a shape. */
type Carrier = Omit<PlacedShape, 'instance'>;

/** A shape in the frame of the world. */
interface PlacedShape extends MovableInstance, LinkShape {}

interface ShapeFilter {
  readonly role: 'visual' | 'collision';
  readonly planes: boolean;
}

class SdfLoader {
  readonly #context: LoadContext;
  readonly #filter: ShapeFilter;
  readonly #materials: SdfMaterials;
  readonly shapes: PlacedShape[] = [];
  /** From the frame of each link to that of the world. */
  readonly #links = new Map<string, Matrix4>();
  readonly #joints: RobotJoint[] = [];
  #mass = 0;
  readonly #meshes: PartMeshes;
  #parts = 0;

  constructor(context: LoadContext, wanted: ShapeFilter) {
    this.#context = context;
    this.#meshes = new PartMeshes(context);
    this.#filter = wanted;
    this.#materials = new SdfMaterials(context);
  }

  async load(entry: string): Promise<this> {
    const models = await readModels(entry, this.#context);
    for (const model of models) await this.#model(model);
    for (const { model, ...around } of models) {
      for (const joint of childrenNamed(model, 'joint'))
        this.#joints.push(readJoint(joint, { ...around, links: this.#links }));
    }
    return this;
  }

  get robot(): JointedRobot {
    return {
      links: [...this.#links.keys()],
      roots: this.#links,
      joints: this.#joints,
      front: frontOf(this.shapes),
      mass: this.#mass,
      shapes: this.shapes.map(({ link, instance }) => {
        const toLink = inverse(this.#links.get(link) ?? IDENTITY);
        return { link, instance: { ...instance, transform: multiply(toLink, instance.transform) } };
      }),
    };
  }

  async #model({ model, path, transform, scope, frames }: PlacedModel): Promise<void> {
    const joints = jointsAbove(model);
    for (const link of childrenNamed(model, 'link')) {
      this.#noteEffects(link);
      const count = joints.get(link.attributes.name ?? '') ?? 0;
      const moves = { joints: count, part: count === 0 ? 0 : ++this.#parts };
      const placed = multiply(transform, frames.transformOf(link));
      const name = `${scope}${link.attributes.name ?? ''}`;
      this.#links.set(name, placed);
      this.#mass += massOf(link);
      await this.#link(link, path, placed, { ...moves, link: name });
    }
  }

  #noteShape(shape: XmlElement, form: XmlElement): void {
    if (form.name === 'plane' || form.name === 'empty') return;
    const name = shape.attributes.name ?? '';
    this.#context.omissions.count('meshes', name);
    this.#context.omissions.omit('meshes', name, `shapes of kind ${toMessageText(form.name)} are not drawn`);
  }

  #noteEffects(link: XmlElement): void {
    for (const { attributes } of childrenNamed(link, 'particle_emitter')) {
      this.#context.omissions.count('meshes', attributes.name ?? '');
      this.#context.omissions.omit('meshes', attributes.name ?? '', 'particle effects are not drawn');
    }
  }

  async #link(link: XmlElement, path: string, transform: Matrix4, moves: Carrier): Promise<void> {
    for (const shape of childrenNamed(link, this.#filter.role)) {
      const placed = multiply(transform, poseOf(shape));
      const form = childNamed(shape, 'geometry')?.children[0];
      if (form === undefined) continue;
      const material = await this.#materials.materialOf(shape, path);
      if (form.name === 'mesh') await this.#mesh(form, path, { placed, material, moves });
      else {
        const primitive = primitiveOf(form);
        const plane = this.#filter.planes ? planeOf(form) : undefined;
        const geometry = primitive === undefined ? plane : surfaceOf(primitive);
        if (geometry === undefined) {
          this.#noteShape(shape, form);
          continue;
        }
        const isTextured = material?.baseColorTexture !== undefined && geometry.uvs === undefined;
        this.shapes.push({
          ...moves,
          instance: {
            geometry: isTextured ? withBoxUvs(geometry) : geometry,
            material: material ?? DEFAULT_MATERIAL,
            transform: placed,
          },
        });
      }
    }
  }

  async #mesh(
    form: XmlElement,
    from: string,
    { placed, material, moves }: { placed: Matrix4; material: Material | undefined; moves: Carrier },
  ): Promise<void> {
    const instances = await this.#meshes.place({
      ...meshOf(form),
      from,
      transform: placed,
      material,
      keepsOwnMaterials: false,
    });
    this.shapes.push(...instances.map((instance) => ({ ...moves, instance })));
  }
}
