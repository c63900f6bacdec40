import type { Document, Mesh, Node, Skin } from '@gltf-transform/core';
import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { memoised } from '../memoised.ts';
import { IDENTITY, type Matrix4, multiply } from '../model/matrix.ts';
import type { Instance, LineSet, PointCloud } from '../model/scene.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { GltfMaterials } from './materials.ts';
import { copiesOf, jointMatrices, placeNodes, skinned } from './nodes.ts';
import { column, readPrimitive, type Shape } from './primitives.ts';
import { readDocument } from './read-document.ts';
import { GltfResources, openContainer } from './resources.ts';

/** Required extensions without which nothing useful could be drawn. All others change little or nothing here. */
const REFUSED = new Set(['KHR_gaussian_splatting']);

interface Gltf {
  readonly instances: readonly Instance[];
  readonly lines: readonly LineSet[];
  readonly points: readonly PointCloud[];
  readonly animations: number;
}

export const reader: FormatReader = {
  readMesh: async (path, context) => ({
    ...(await loadGltf(path, context)),
    isYUp: true,
    hasMaterials: true,
  }),
};

/** Loads a glTF 2.0 scene at rest: default morph weights, skins in their nodes' pose. */
async function loadGltf(path: string, context: LoadContext): Promise<Gltf> {
  const container = openContainer(await context.files.read(path));
  try {
    const unknown = container.json.extensionsRequired?.find((name) => REFUSED.has(name));
    if (unknown !== undefined) throw new Unrenderable(`the glTF file requires ${toMessageText(unknown)}`);
    const resources = new GltfResources(container, path, context);
    const document = await readDocument(container.json, resources, context.budget);
    const loader = new GltfLoader(document, resources, context);
    await loader.load();
    const { instances, lines, points } = loader;
    return { instances, lines, points, animations: container.json.animations?.length ?? 0 };
  } catch (error) {
    if (error instanceof Unrenderable) throw error;
    // The document is not validated: any part of it may be missing or of another type.
    throw new Unrenderable(`the glTF file is damaged: ${toMessageText(String(error))}`, { cause: error });
  }
}

class GltfLoader implements Omit<Gltf, 'animations'> {
  readonly instances: Instance[] = [];
  readonly lines: LineSet[] = [];
  readonly points: PointCloud[] = [];
  readonly #document: Document;
  readonly #materials: GltfMaterials;
  readonly #context: LoadContext;
  readonly #worlds: ReadonlyMap<Node, Matrix4>;

  constructor(document: Document, resources: GltfResources, context: LoadContext) {
    this.#document = document;
    this.#context = context;
    this.#materials = new GltfMaterials(resources, context);
    this.#worlds = placeNodes(document, context.budget);
  }

  async load(): Promise<void> {
    for (const [node, world] of this.#worlds) {
      const mesh = node.getMesh();
      if (mesh !== null) await this.#addMesh(node, mesh, world);
    }
  }

  async #addMesh(node: Node, mesh: Mesh, world: Matrix4): Promise<void> {
    const weights = node.getWeights();
    const shapes = weights.length > 0 ? this.#read(mesh, weights) : this.#shapes(mesh);
    const joints = this.#joints(node.getSkin());
    const worlds = this.#placeCopies(node, world, shapes);
    for (const [k, primitive] of mesh.listPrimitives().entries()) {
      const shape = shapes[k];
      if (shape === undefined) continue;
      const material = await this.#materials.material(primitive.getMaterial());
      for (const transform of worlds) {
        switch (shape.kind) {
          case 'points':
            this.points.push({ ...shape, transform });
            break;
          case 'lines':
            this.lines.push({ ...shape, color: material.baseColor, transform });
            break;
          case 'triangles': {
            const { geometry, joints: binding } = shape;
            const isSkinned = joints !== undefined && binding !== undefined;
            this.instances.push({
              geometry: isSkinned ? skinned(geometry, binding, joints) : geometry,
              material,
              transform: isSkinned ? IDENTITY : transform,
              names: [node.getName(), mesh.getName()],
            });
          }
        }
      }
    }
  }

  #read(mesh: Mesh, weights: readonly number[]): readonly (Shape | undefined)[] {
    return mesh.listPrimitives().map((primitive) => readPrimitive(primitive, weights, this.#context.budget));
  }

  /** The primitives of a mesh for all nodes that show it with its own morph weights. */
  readonly #shapes = memoised((mesh: Mesh) => this.#read(mesh, mesh.getWeights()));

  /** Returns where to draw the shapes of a node. Copies beyond the budget are left out and reported as missing. */
  #placeCopies(node: Node, world: Matrix4, shapes: readonly (Shape | undefined)[]): Matrix4[] {
    const { budget, omissions } = this.#context;
    const cost = costOf(shapes);
    const copies = copiesOf(node);
    const count = copies === undefined ? 1 : Math.min(copies.total, affordable(cost, budget));
    budget.spend('triangles', cost.triangles * count);
    budget.spend('vertices', cost.vertices * count);
    if (copies === undefined) return [world];
    budget.spend('instances', count);
    const name = node.getName() || `node ${this.#document.getRoot().listNodes().indexOf(node)}`;
    omissions.count('instances', name, copies.total);
    const left = copies.total - count;
    if (left > 0) omissions.omit('instances', name, `only ${count} copies are drawn`, left);
    return copies.sample(count).map((copy) => multiply(world, copy));
  }

  #joints(skin: Skin | null): Matrix4[] | undefined {
    if (skin === null) return undefined;
    const worlds = skin.listJoints().map((joint) => this.#worlds.get(joint) ?? IDENTITY);
    return jointMatrices(worlds, column(skin.getInverseBindMatrices(), 16, 0));
  }
}

interface Cost {
  readonly triangles: number;
  readonly vertices: number;
}

/** How many copies can be drawn such that half of the remaining triangles and vertices is left for other meshes. */
function affordable({ triangles, vertices }: Cost, budget: Budget): number {
  return Math.min(
    budget.remaining('instances'),
    Math.floor(budget.remaining('triangles') / 2 / Math.max(1, triangles)),
    Math.floor(budget.remaining('vertices') / 2 / Math.max(1, vertices)),
  );
}

function costOf(shapes: readonly (Shape | undefined)[]): Cost {
  let [triangles, vertices] = [0, 0];
  for (const shape of shapes) {
    if (shape === undefined) continue;
    const { positions } = shape.kind === 'triangles' ? shape.geometry : shape;
    vertices += positions.length / 3;
    if (shape.kind === 'triangles') triangles += shape.geometry.indices.length / 3;
    if (shape.kind === 'lines') triangles += shape.ends.length / 2;
  }
  return { triangles, vertices };
}
