import { type ModelVersion, modelVersionsIn, type Resolved } from '@bindery/formats';
import { NothingVisible, readable, Unrenderable } from '../../errors.ts';
import { toMessageText } from '../../files.ts';
import { surfaceOf } from '../../geometry/primitives.ts';
import { IDENTITY, inverse, type Matrix4, multiply } from '../../matrix.ts';
import { DEFAULT_MATERIAL, type Material, type Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { frontOf, type MovableInstance } from '../front.ts';
import { PartMeshes } from '../part-meshes.ts';
import { countRobot, type JointedRobot, type LinkShape, type RobotJoint } from '../urdf-links.ts';
import { childNamed, childrenNamed, numbersOf, parseXml, type XmlElement } from '../xml.ts';
import { SdfMaterials } from './materials.ts';
import { jointsAbove, ModelFrames, massOf, poseOf, readJoint } from './poses.ts';
import { planeOf, primitiveOf, withBoxUvs } from './primitive.ts';

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

/** A model, and the file that its references are relative to. */
interface FoundModel {
  readonly model: XmlElement;
  readonly path: string;
}

/** Where the contents of a world or a model are. */
interface Place {
  readonly path: string;
  readonly transform: Matrix4;
  readonly depth: number;
  /** Prefix of the names of links and joints, for models within models. */
  readonly scope: string;
}

/** An included model has the name of the `<include>`, if that has one, and its pose before its own. */
function asIncluded(model: XmlElement, include: XmlElement): XmlElement {
  const name = childNamed(include, 'name')?.text ?? model.attributes.name ?? '';
  const merge = include.attributes.merge ?? 'false';
  return {
    ...model,
    attributes: { ...model.attributes, name, merge },
    children: [...childrenNamed(include, 'pose'), ...model.children],
  };
}

class SdfLoader {
  readonly #context: LoadContext;
  readonly #filter: ShapeFilter;
  readonly #materials: SdfMaterials;
  readonly shapes: PlacedShape[] = [];
  /** From the frame of each link to that of the world. */
  readonly #links = new Map<string, Matrix4>();
  readonly #joints: RobotJoint[] = [];
  /** What each `<include>` stands for, read once. */
  readonly #includes = new Map<XmlElement, FoundModel[]>();
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
    await this.#context.files.readPackageNames();
    await this.#document(entry);
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

  async #document(path: string): Promise<void> {
    const root = await this.#readRoot(path);
    for (const part of [root, ...childrenNamed(root, 'world')]) {
      for (const { attributes } of childrenNamed(part, 'actor')) this.#noteActor(attributes.name ?? '');
      await this.#contents(part, { path, transform: IDENTITY, depth: 0, scope: '' });
    }
  }

  async #readRoot(path: string): Promise<XmlElement> {
    const root = parseXml(await this.#context.files.read(path), this.#context.budget);
    if (root.name !== 'sdf' && root.name !== 'gazebo') {
      throw new Unrenderable('not SDFormat: the root element is not <sdf>');
    }
    return root;
  }

  /** Loads the models inside a world or another model. */
  async #contents(around: XmlElement, place: Place): Promise<void> {
    const [models, frames] = await this.#modelsIn(around, place);
    const isAlone = around.name !== 'model' && models.length === 1;
    for (const [index, { model, path }] of models.entries()) {
      await this.#model(model, {
        path,
        transform: multiply(place.transform, frames.transformOf(model)),
        depth: place.depth + 1,
        scope: isAlone ? place.scope : `${place.scope}${model.attributes.name ?? String(index + 1)}::`,
      });
    }
  }

  /** The models inside a world or another model with those that are included, and the frames of all of them. */
  async #modelsIn(around: XmlElement, { path, depth }: Place): Promise<[FoundModel[], ModelFrames]> {
    const models: FoundModel[] = [];
    const children: XmlElement[] = [];
    for (const child of around.children) {
      const found =
        child.name === 'include'
          ? await this.#included(child, path, depth + 1)
          : child.name === 'model'
            ? [{ model: child, path }]
            : [];
      models.push(...found);
      children.push(...(found.length > 0 ? found.map(({ model }) => model) : [child]));
    }
    return [models, new ModelFrames({ ...around, children })];
  }

  async #model(model: XmlElement, place: Place): Promise<void> {
    const { path, transform, scope } = place;
    this.#context.budget.checkDepth(place.depth);
    const [, frames] = await this.#modelsIn(model, place);
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
    await this.#contents(model, place);
    for (const joint of childrenNamed(model, 'joint')) {
      this.#joints.push(readJoint(joint, { scope, transform, frames, links: this.#links }));
    }
  }

  #noteActor(name: string): void {
    this.#context.omissions.count('meshes', name);
    this.#context.omissions.omit('meshes', name, 'animated actors are not drawn');
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

  /** The models of an included file, with the name and the pose that the including one gives them. */
  async #included(include: XmlElement, path: string, depth: number): Promise<FoundModel[]> {
    const known = this.#includes.get(include);
    if (known !== undefined) return known;
    const uri = childNamed(include, 'uri')?.text ?? '';
    const found = this.#context.files.locate(path, uri);
    // The sun and the ground of Gazebo's own database are not among the files, and not drawn either.
    if ('outside' in found && uri.startsWith('model://')) return [];
    const { omissions, budget } = this.#context;
    omissions.count('meshes', uri);
    let models: FoundModel[] = [];
    try {
      budget.checkDepth(depth);
      const file = await this.#modelOf(found);
      if (file === undefined) throw new Unrenderable('no such model among the files');
      const root = await this.#readRoot(file);
      for (const { attributes } of childrenNamed(root, 'actor')) this.#noteActor(attributes.name ?? '');
      models = childrenNamed(root, 'model').map((model) => ({
        model: asIncluded(model, include),
        path: file,
      }));
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      omissions.omit('meshes', uri, error.message);
    }
    this.#includes.set(include, models);
    return models;
  }

  /** Finds the file of a model: named by the `model.config` of its folder, or the file itself. */
  async #modelOf(found: Resolved): Promise<string | undefined> {
    const { files } = this.#context;
    if (!('folder' in found)) return 'path' in found ? found.path : undefined;
    const config = `${found.folder}model.config`;
    const [newest] = files.has(config) ? await this.#versionsIn(config) : [];
    return files.index.find(`${found.folder}${newest?.file ?? 'model.sdf'}`);
  }

  async #versionsIn(config: string): Promise<ModelVersion[]> {
    const bytes = await this.#context.files.read(config);
    return readable(() => modelVersionsIn(bytes));
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
    const [x = 1, y = 1, z = 1] = numbersOf(childNamed(form, 'scale')?.text, [1, 1, 1]);
    const submesh = childNamed(form, 'submesh');
    const instances = await this.#meshes.place({
      reference: childNamed(form, 'uri')?.text ?? '',
      from,
      scale: [x, y, z],
      transform: placed,
      material,
      keepsOwnMaterials: false,
      submesh: submesh && {
        name: childNamed(submesh, 'name')?.text ?? '',
        isCentered: /^(?:true|1)$/.test(childNamed(submesh, 'center')?.text ?? ''),
      },
    });
    this.shapes.push(...instances.map((instance) => ({ ...moves, instance })));
  }
}
