import { Unrenderable } from '../../errors.ts';
import { shown } from '../../files.ts';
import { IDENTITY, type Matrix4 } from '../../matrix.ts';
import type { Instance, PointCloud } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { GltfAccessors } from './accessors.ts';
import { GltfBuffers } from './buffers.ts';
import { openContainer } from './container.ts';
import { component, type GltfDocument, type GltfMesh, type GltfNode, item, listOf } from './document.ts';
import { GltfMaterials } from './materials.ts';
import { placeNodes } from './nodes.ts';
import { type Primitive, readPrimitive } from './primitives.ts';
import { jointMatrices, skinned } from './skin.ts';

/** Extensions without which a file would show nothing of what it means. All others change little or nothing here. */
const REFUSED = new Set(['KHR_gaussian_splatting']);

/** A glTF 2.0 scene at rest: default morph weights, skins in their nodes' pose. */
export async function loadGltf(
  path: string,
  context: LoadContext,
): Promise<{ instances: readonly Instance[]; points: readonly PointCloud[] }> {
  const container = openContainer(await context.files.read(path));
  const unknown = listOf(container.document.extensionsRequired).find((name) => REFUSED.has(name));
  if (unknown !== undefined) throw new Unrenderable(`the glTF file requires ${shown(unknown)}`);
  const buffers = new GltfBuffers(container, path, context);
  const loader = new GltfLoader(container.document, buffers, context);
  await loader.load();
  return loader;
}

class GltfLoader {
  readonly instances: Instance[] = [];
  readonly points: PointCloud[] = [];
  readonly #document: GltfDocument;
  readonly #buffers: GltfBuffers;
  readonly #accessors: GltfAccessors;
  readonly #materials: GltfMaterials;
  readonly #context: LoadContext;
  readonly #worlds: ReadonlyMap<number, Matrix4>;
  readonly #primitives = new Map<number, Promise<readonly (Primitive | undefined)[]>>();

  constructor(document: GltfDocument, buffers: GltfBuffers, context: LoadContext) {
    this.#document = document;
    this.#buffers = buffers;
    this.#context = context;
    this.#accessors = new GltfAccessors(document, buffers, context.budget);
    this.#materials = new GltfMaterials(document, buffers, context);
    this.#worlds = placeNodes(document, context.budget);
  }

  async load(): Promise<void> {
    for (const [index, world] of this.#worlds) {
      const node = item(this.#document.nodes, index, 'node');
      if (node.mesh !== undefined) await this.#addMesh(node, node.mesh, world);
    }
  }

  async #addMesh(node: GltfNode, index: number, world: Matrix4): Promise<void> {
    const mesh = item(this.#document.meshes, index, 'mesh');
    const joints = node.skin === undefined ? undefined : await this.#joints(node.skin);
    for (const [k, primitive] of (await this.#read(mesh, index, node.weights)).entries()) {
      if (primitive === undefined) continue;
      if (primitive.kind === 'points') {
        this.points.push({ positions: primitive.positions, colors: primitive.colors, transform: world });
        continue;
      }
      const { geometry, joints: binding } = primitive;
      this.#context.budget.spend('triangles', geometry.indices.length / 3);
      this.#context.budget.spend('vertices', geometry.positions.length / 3);
      const isSkinned = joints !== undefined && binding !== undefined;
      this.instances.push({
        geometry: isSkinned ? skinned(geometry, binding, joints) : geometry,
        material: await this.#materials.material(mesh.primitives?.[k]?.material),
        transform: isSkinned ? IDENTITY : world,
      });
    }
  }

  /** The primitives of a mesh, read once for all nodes that show it with its own morph weights. */
  #read(mesh: GltfMesh, index: number, weights: readonly number[] | undefined) {
    const read = () =>
      Promise.all(
        listOf(mesh.primitives).map((primitive) =>
          readPrimitive(
            primitive,
            listOf(weights ?? mesh.weights).map((_, k) => component(weights ?? mesh.weights, k, 0)),
            this.#accessors,
            this.#buffers,
            this.#context.budget,
          ),
        ),
      );
    if (weights !== undefined) return read();
    let primitives = this.#primitives.get(index);
    if (primitives === undefined) {
      primitives = read();
      this.#primitives.set(index, primitives);
    }
    return primitives;
  }

  async #joints(index: number): Promise<Matrix4[]> {
    const skin = item(this.#document.skins, index, 'skin');
    const worlds = listOf(skin.joints).map((joint) => this.#worlds.get(joint) ?? IDENTITY);
    const inverse =
      skin.inverseBindMatrices === undefined
        ? undefined
        : await this.#accessors.values(skin.inverseBindMatrices);
    return jointMatrices(worlds, inverse?.width === 16 ? inverse.data : undefined);
  }
}
