import type { LoadContext } from '../context.ts';
import { type ModelVersion, modelVersionsIn } from '../files/packages.ts';
import type { Resolved } from '../files/resolve.ts';
import { IDENTITY, inverse, type Matrix4, multiply } from '../model/matrix.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../reading/xml-elements.ts';
import { isTrue, ModelFrames } from './poses.ts';

/** A model of a file, with its links and joints but without the models in it, which follow it by themselves. */
export interface PlacedModel {
  readonly model: XmlElement;
  /** The file that its references are relative to. */
  readonly path: string;
  /** From the frame of the model to that of the world. */
  readonly transform: Matrix4;
  /** Of everything in the model. */
  readonly frames: ModelFrames;
  /** Prefix of the names of links and joints, for models within models. */
  readonly scope: string;
  /** Whether it, or a model around it, cannot move. */
  readonly isStatic: boolean;
  /** Which version of the format its file has: 9 for 1.9. */
  readonly minorVersion: number;
}

/** The models of a file, and its root element. */
interface ReadModels {
  readonly root: XmlElement;
  readonly models: readonly PlacedModel[];
}

/** Finds the models of a file, with those that it includes. Included ones that are not there are reported as missing. */
export async function readModels(entry: string, context: LoadContext): Promise<ReadModels> {
  await context.files.readPackageNames();
  const reader = new ModelReader(context);
  return { root: await reader.document(entry), models: reader.models };
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
  readonly scope: string;
  readonly isStatic: boolean;
}

/** An included model has the name of the `<include>`, its pose and what else it says instead of its own. */
function asIncluded(model: XmlElement, include: XmlElement): XmlElement {
  const name = childNamed(include, 'name')?.text ?? model.attributes.name ?? '';
  const placement = childNamed(include, 'placement_frame')?.text ?? model.attributes.placement_frame;
  const said = include.children.filter((child) => child.name === 'pose' || child.name === 'static');
  const own = model.children.filter((child) => !said.some((one) => one.name === child.name));
  return {
    ...model,
    attributes: {
      ...model.attributes,
      ...{ name, merge: include.attributes.merge ?? 'false' },
      ...(placement !== undefined && { placement_frame: placement }),
    },
    children: [...said, ...own],
  };
}

class ModelReader {
  readonly models: PlacedModel[] = [];
  readonly #context: LoadContext;
  /** The minor versions of the format by the paths of files. */
  readonly #versions = new Map<string, number>();
  /** What each `<include>` stands for, read once. */
  readonly #includes = new Map<XmlElement, FoundModel[]>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  async document(path: string): Promise<XmlElement> {
    const root = await this.#readRoot(path);
    for (const part of [root, ...childrenNamed(root, 'world')]) {
      for (const { attributes } of childrenNamed(part, 'actor')) this.#noteActor(attributes.name ?? '');
      await this.#contents(part, { path, transform: IDENTITY, depth: 0, scope: '', isStatic: false });
    }
    return root;
  }

  async #readRoot(path: string): Promise<XmlElement> {
    const root = parseXml(await this.#context.files.read(path), this.#context.budget);
    if (root.name !== 'sdf' && root.name !== 'gazebo') {
      throw new Unrenderable('not SDFormat: the root element is not <sdf>');
    }
    this.#versions.set(path, Number(root.attributes.version?.split('.')[1] ?? Infinity));
    return root;
  }

  /** Loads the models inside a world or another model. */
  async #contents(around: XmlElement, place: Place): Promise<void> {
    const [models, frames] = await this.#modelsIn(around, place);
    const isAlone = around.name !== 'model' && models.length === 1;
    for (const [index, { model, path }] of models.entries()) {
      const isMerged = model.attributes.merge === 'true';
      await this.#model(model, {
        path,
        transform: multiply(place.transform, frames.transformOf(model)),
        depth: place.depth + 1,
        isStatic: place.isStatic || isTrue(childNamed(model, 'static')?.text),
        scope:
          isAlone || isMerged ? place.scope : `${place.scope}${model.attributes.name ?? String(index + 1)}::`,
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
    const { path, scope, isStatic } = place;
    this.#context.budget.checkDepth(place.depth);
    const [, frames] = await this.#modelsIn(model, place);
    const placed = frames.transformOfNamed(model.attributes.placement_frame ?? '');
    const transform = placed ? multiply(place.transform, inverse(placed)) : place.transform;
    const minorVersion = this.#versions.get(path) ?? Infinity;
    this.models.push({ model, path, transform, frames, scope, isStatic, minorVersion });
    await this.#contents(model, { ...place, transform });
  }

  #noteActor(name: string): void {
    this.#context.omissions.count('meshes', name);
    this.#context.omissions.omit('meshes', name, 'animated actors are not drawn');
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
}
