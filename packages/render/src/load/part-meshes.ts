import { Unrenderable } from '../errors.ts';
import { type Matrix4, multiply, scaling, type Vector3, Y_UP_TO_Z_UP } from '../matrix.ts';
import type { Instance, Material } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { loadMeshFile, type MeshFile } from './mesh.ts';

/** A mesh as a part of a robot or a model refers to it. */
interface MeshPart {
  reference: string;
  /** The file that refers to it. */
  from: string;
  scale: Vector3;
  transform: Matrix4;
  /** The material of the part; undefined if it does not have one. */
  material: Material | undefined;
  /** Whether materials of the mesh file take precedence over that of the part. */
  keepsOwnMaterials: boolean;
}

/** The mesh files that parts refer to, each read once. */
export class PartMeshes {
  readonly #context: LoadContext;
  readonly #files = new Map<string, Promise<MeshFile | undefined>>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  /** Places the mesh of a part. One that cannot be read is left out and reported as missing; the rest is drawn. */
  async place(part: MeshPart): Promise<Instance[]> {
    const mesh = await this.#loadReferenced(part);
    if (mesh === undefined) return [];
    const scaled = multiply(part.transform, scaling(...part.scale));
    const placed = mesh.isYUp ? multiply(scaled, Y_UP_TO_Z_UP) : scaled;
    const material = part.keepsOwnMaterials && mesh.hasMaterials ? undefined : part.material;
    return mesh.instances.map((instance) => {
      this.#context.budget.spend('triangles', instance.geometry.indices.length / 3);
      this.#context.budget.spend('vertices', instance.geometry.positions.length / 3);
      return {
        geometry: instance.geometry,
        material: material ?? instance.material,
        transform: multiply(placed, instance.transform),
      };
    });
  }

  #loadReferenced({ reference, from }: MeshPart): Promise<MeshFile | undefined> {
    const path = this.#context.files.resolve(from, reference);
    const key = path ?? reference;
    let mesh = this.#files.get(key);
    if (mesh === undefined) {
      mesh = this.#load(reference, path);
      this.#files.set(key, mesh);
    }
    return mesh;
  }

  async #load(reference: string, path: string | undefined): Promise<MeshFile | undefined> {
    const { omissions } = this.#context;
    omissions.count('meshes', reference);
    try {
      if (path === undefined) throw new Unrenderable('no such file');
      const mesh = await loadMeshFile(path, this.#context);
      if (mesh.instances.length === 0) throw new Unrenderable('it has no surface');
      return mesh;
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      omissions.omit('meshes', reference, error.message);
      return undefined;
    }
  }
}
