import { Unrenderable } from '../errors.ts';
import { type Matrix4, multiply, scaling, type Vector3, Y_UP_TO_Z_UP } from '../matrix.ts';
import type { Instance, Material } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { loadMeshFile, type MeshFile } from './mesh.ts';

/** The mesh files that the parts of a robot refer to, each read once. */
export class PartMeshes {
  readonly #from: string;
  readonly #context: LoadContext;
  readonly #files = new Map<string, Promise<MeshFile | undefined>>();

  /** `from`: the file that refers to them. */
  constructor(from: string, context: LoadContext) {
    this.#from = from;
    this.#context = context;
  }

  /**
   * A mesh where a part has it, in the part's material unless it brings its own. One that cannot be read is left out,
   * and noted as missing: the rest of the robot still shows.
   */
  async place(
    reference: string,
    scale: Vector3,
    transform: Matrix4,
    material: Material | undefined,
  ): Promise<Instance[]> {
    const mesh = await this.#referred(reference);
    if (mesh === undefined) return [];
    const scaled = multiply(transform, scaling(...scale));
    const placed = mesh.isYUp ? multiply(scaled, Y_UP_TO_Z_UP) : scaled;
    return mesh.instances.map((instance) => {
      this.#context.budget.spend('triangles', instance.geometry.indices.length / 3);
      this.#context.budget.spend('vertices', instance.geometry.positions.length / 3);
      return {
        geometry: instance.geometry,
        material: mesh.hasMaterials ? instance.material : (material ?? instance.material),
        transform: multiply(placed, instance.transform),
      };
    });
  }

  #referred(reference: string): Promise<MeshFile | undefined> {
    let mesh = this.#files.get(reference);
    if (mesh === undefined) {
      mesh = this.#load(reference);
      this.#files.set(reference, mesh);
    }
    return mesh;
  }

  async #load(reference: string): Promise<MeshFile | undefined> {
    const { files, omissions } = this.#context;
    omissions.count('meshes', reference);
    try {
      const path = files.resolve(this.#from, reference);
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
