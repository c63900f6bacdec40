import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { memoised } from '../memoised.ts';
import {
  IDENTITY,
  lookAt,
  type Matrix4,
  multiply,
  rotation,
  scaling,
  translation,
  transpose,
} from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import { type Instance, plainMaterial } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { ColladaDocument, firstNumbers } from './document.ts';
import { ColladaGeometries } from './geometry.ts';
import { ColladaMaterials } from './materials.ts';

/**
 * Rotations that map the up axis to Y, and the axis towards the viewer to Z, as in the specification's table for
 * `<up_axis>`.
 */
const UPRIGHT: Record<'x' | 'y' | 'z', Matrix4> = {
  x: [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  y: IDENTITY,
  z: [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
};

export const reader: FormatReader = { readMesh: loadCollada };

/** Loads a COLLADA 1.4 or 1.5 file, in metres on its own axes. */
async function loadCollada(path: string, context: LoadContext): Promise<MeshFile> {
  const { budget } = context;
  const document = new ColladaDocument(await context.files.read(path), budget);
  const geometries = new ColladaGeometries(document, budget);
  const materials = new ColladaMaterials(document, path, context);
  const toMeters = scaling(document.metersPerUnit, document.metersPerUnit, document.metersPerUnit);
  const instances: Instance[] = [];
  let hasMaterials = false;
  for (const placement of placeGeometries(document, budget)) {
    const transform = multiply(toMeters, placement.transform);
    for (const { geometry, transform: own, symbol = '' } of geometries.parts(placement.geometry)) {
      budget.spend('nodes', 1);
      budget.spend('triangles', geometry.indices.length / 3);
      budget.spend('vertices', geometry.positions.length / 3);
      const material = await materials.material(placement.materials.get(symbol) ?? `#${symbol}`);
      hasMaterials ||= material !== undefined || geometry.colors !== undefined;
      instances.push({
        geometry,
        material: material ?? plainMaterial(geometry),
        transform: multiply(transform, own),
        names: placement.names,
      });
    }
  }
  return { instances, points: [], isYUp: false, hasMaterials, upright: UPRIGHT[document.upAxis] };
}

/** A geometry in the scene, and the material addresses that are bound to the symbols of its primitives. */
interface Placement {
  readonly geometry: XmlElement;
  readonly transform: Matrix4;
  readonly materials: ReadonlyMap<string, string>;
  /** Names and ids of the geometry and of the node that shows it. */
  readonly names: readonly string[];
}

/** Returns the geometries in the scene of a document, skins in their bind pose. */
function placeGeometries(document: ColladaDocument, budget: Budget): Placement[] {
  const scene = childNamed(childNamed(document.root, 'scene'), 'instance_visual_scene');
  const shown =
    document.find('visual_scene', scene?.attributes.url) ??
    childNamed(childNamed(document.root, 'library_visual_scenes'), 'visual_scene');
  const walk = new SceneWalk(document, budget);
  if (shown !== undefined) walk.visitChildren(shown, IDENTITY, 0);
  return walk.placements;
}

/** A skin over a morph, or the other way round; a longer chain is an error or a cycle. */
const MAX_CONTROLLERS = 2;

class SceneWalk {
  readonly placements: Placement[] = [];
  readonly #document: ColladaDocument;
  readonly #budget: Budget;

  constructor(document: ColladaDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  visitChildren(parent: XmlElement, world: Matrix4, depth: number): void {
    this.#budget.spend('nodes', parent.children.length);
    this.#budget.checkDepth(depth);
    for (const child of parent.children) this.#visit(child, world, depth, parent);
  }

  #visit(element: XmlElement, world: Matrix4, depth: number, parent?: XmlElement): void {
    const { url } = element.attributes;
    switch (element.name) {
      case 'node':
        this.visitChildren(element, multiply(world, localMatrix(element)), depth + 1);
        break;
      case 'instance_node': {
        const node = this.#document.find('node', url);
        if (node !== undefined) this.#visit(node, world, depth + 1);
        break;
      }
      case 'instance_geometry':
        this.#place(this.#document.find('geometry', url), world, element, parent);
        break;
      case 'instance_controller':
        this.#placeControlled(url, world, element, parent);
        break;
    }
  }

  /** Places a skin in its bind pose, regardless of the node that shows it, and a morph as its base shape. */
  #placeControlled(
    address: string | undefined,
    world: Matrix4,
    instance: XmlElement,
    node: XmlElement | undefined,
  ): void {
    let source = address;
    let transform = world;
    for (let step = 0; step < MAX_CONTROLLERS; step++) {
      const controller = this.#document.find('controller', source);
      if (controller === undefined) break;
      const skin = childNamed(controller, 'skin');
      if (skin !== undefined) transform = matrixOf(childNamed(skin, 'bind_shape_matrix')?.text);
      source = (skin ?? childNamed(controller, 'morph'))?.attributes.source;
    }
    this.#place(this.#document.find('geometry', source), transform, instance, node);
  }

  #place(
    geometry: XmlElement | undefined,
    transform: Matrix4,
    instance: XmlElement,
    node: XmlElement | undefined,
  ): void {
    if (geometry === undefined) return;
    const names = [node, geometry].flatMap((one) =>
      [one?.attributes.name ?? [], one?.attributes.id ?? []].flat(),
    );
    this.placements.push({ geometry, transform, materials: this.#materials(instance), names });
  }

  readonly #materials = memoised((instance: XmlElement): ReadonlyMap<string, string> => {
    const technique = childNamed(childNamed(instance, 'bind_material'), 'technique_common');
    const bindings = technique === undefined ? [] : childrenNamed(technique, 'instance_material');
    return new Map(bindings.map(({ attributes }) => [attributes.symbol ?? '', attributes.target ?? '']));
  });
}

/** Combines the transformations of a node; each is applied before those listed above it. */
function localMatrix(node: XmlElement): Matrix4 {
  return node.children.reduce((matrix, child) => {
    const step = transformation(child);
    return step === undefined ? matrix : multiply(matrix, step);
  }, IDENTITY);
}

function transformation({ name, text }: XmlElement): Matrix4 | undefined {
  switch (name) {
    case 'matrix':
      return matrixOf(text);
    case 'translate':
      return translation(...firstNumbers(text, [0, 0, 0] as const));
    case 'scale':
      return scaling(...firstNumbers(text, [1, 1, 1] as const));
    case 'rotate': {
      const [x, y, z, degrees] = firstNumbers(text, [0, 0, 0, 0] as const);
      return rotation([x, y, z], (degrees * Math.PI) / 180);
    }
    case 'lookat': {
      const [ex, ey, ez, tx, ty, tz, ux, uy, uz] = firstNumbers(text, [0, 0, 0, 0, 0, -1, 0, 1, 0] as const);
      return lookAt([ex, ey, ez], [tx, ty, tz], [ux, uy, uz]);
    }
    default:
      return undefined;
  }
}

/** Files store matrices in row-major order. */
function matrixOf(text: string | undefined): Matrix4 {
  return transpose(firstNumbers(text, IDENTITY));
}
