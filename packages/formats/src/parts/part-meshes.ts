import type { LoadContext } from '../context.ts';
import { memoised } from '../memoised.ts';
import { boxOfPlaced, centreOf, placedIn } from '../model/bounds.ts';
import {
  IDENTITY,
  type Matrix4,
  multiply,
  scaling,
  translation,
  type Vector3,
  Y_UP_TO_Z_UP,
} from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import type { Geometry, Instance, Material } from '../model/scene.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';

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
  /** Whether its axes are those of the part, whatever its file says of where it is up. */
  isOfLink?: boolean;
  /** Only the part of the mesh file of this name is meant, moved so that its middle is at zero if `isCentered`. */
  submesh?: { readonly name: string; readonly isCentered: boolean } | undefined;
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
    const instances = this.#chosen(mesh, part);
    const centre = part.submesh?.isCentered ? centring(instances) : IDENTITY;
    const scaled = multiply(part.transform, scaling(...part.scale));
    const isTurned = mesh.isYUp && !part.isOfLink;
    const placed = multiply(isTurned ? multiply(scaled, Y_UP_TO_Z_UP) : scaled, centre);
    const material = part.keepsOwnMaterials && mesh.hasMaterials ? undefined : part.material;
    return instances.map((instance) => {
      this.#context.budget.spend('triangles', instance.geometry.indices.length / 3);
      this.#context.budget.spend('vertices', instance.geometry.positions.length / 3);
      return {
        geometry: material === undefined ? instance.geometry : this.#withoutColors(instance.geometry),
        material: material ?? instance.material,
        transform: multiply(placed, instance.transform),
      };
    });
  }

  /** Whether the file of a mesh has its own materials. */
  async hasMaterials(part: Pick<MeshPart, 'reference' | 'from' | 'submesh'>): Promise<boolean> {
    return (await this.#loadReferenced(part))?.hasMaterials ?? false;
  }

  /** The same object for the same geometry, so that copies stay copies. */
  readonly #withoutColors = memoised(
    (geometry: Geometry): Geometry =>
      geometry.colors === undefined ? geometry : { ...geometry, colors: undefined },
  );

  /** The instances of a mesh that a part shows. */
  #chosen({ instances }: MeshFile, { reference, submesh }: MeshPart): readonly Instance[] {
    if (submesh === undefined) return instances;
    const named = instances.filter(({ names }) => names?.includes(submesh.name));
    if (named.length === 0) {
      const { omissions } = this.#context;
      omissions.count('meshes', `${reference} ${submesh.name}`);
      omissions.omit(
        'meshes',
        `${reference} ${submesh.name}`,
        `it has no submesh ${toMessageText(submesh.name)}`,
      );
    }
    return named;
  }

  #loadReferenced({
    reference,
    from,
    submesh,
  }: Pick<MeshPart, 'reference' | 'from' | 'submesh'>): Promise<MeshFile | undefined> {
    const path = this.#context.files.resolve(from, reference);
    const byObject = submesh !== undefined;
    const key = `${path ?? reference}${byObject ? ' by object' : ''}`;
    const mesh = this.#files.get(key) ?? this.#load(reference, path, byObject);
    this.#files.set(key, mesh);
    return mesh;
  }

  async #load(reference: string, path: string | undefined, byObject: boolean): Promise<MeshFile | undefined> {
    const { omissions } = this.#context;
    omissions.count('meshes', reference);
    try {
      if (path === undefined) throw new Unrenderable('no such file');
      const mesh = await this.#context.readMesh(path, { byObject, isMoving: false });
      if (mesh.instances.length === 0) throw new Unrenderable('it has no surface');
      return mesh;
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      omissions.omit('meshes', reference, error.message);
      return undefined;
    }
  }
}

/** Moves the middle of the box around instances to zero. */
function centring(instances: readonly Instance[]): Matrix4 {
  if (instances.length === 0) return IDENTITY;
  const [x, y, z] = centreOf(boxOfPlaced(placedIn({ instances, points: [] })));
  return translation(-x, -y, -z);
}
