import type { LoadContext } from '../context.ts';
import {
  determinant3,
  IDENTITY,
  type Matrix4,
  transformNormals,
  transformPoints,
  type Vector3,
} from '../model/matrix.ts';
import type { Mesh, MeshPart } from '../model/mechanism.ts';
import type { Geometry, Instance } from '../model/scene.ts';
import { PartMeshes } from './part-meshes.ts';

/** A mesh as a shape refers to it. */
interface MeshReference {
  readonly reference: string;
  /** The file that refers to it. */
  readonly from: string;
  readonly scale: Vector3;
  /** Whether the shape says what it looks like, whatever its file says. */
  readonly isPainted?: boolean;
  /** Whether its axes are those of the shape, whatever its file says of where it is up. */
  readonly isOfLink?: boolean;
  readonly submesh?: { readonly name: string; readonly isCentered: boolean } | undefined;
}

/** The meshes of a mechanism: those with the same file and scale are one. */
export class MechanismMeshes {
  readonly #context: LoadContext;
  readonly #meshes: PartMeshes;
  readonly #placed = new Map<string, Promise<Mesh | undefined>>();
  readonly #names = new Set<string>();

  constructor(context: LoadContext) {
    this.#context = context;
    this.#meshes = new PartMeshes(context);
  }

  /** A mesh with scale applied; undefined, and among the omissions, if it cannot be read. */
  mesh(wanted: MeshReference): Promise<Mesh | undefined> {
    const { reference, from, scale, submesh, isPainted, isOfLink } = wanted;
    const key = JSON.stringify([
      this.#context.files.resolve(from, reference) ?? reference,
      scale,
      submesh,
      isPainted,
      isOfLink,
    ]);
    const mesh = this.#placed.get(key) ?? this.#place(wanted);
    this.#placed.set(key, mesh);
    return mesh;
  }

  async #place(wanted: MeshReference): Promise<Mesh | undefined> {
    const { reference } = wanted;
    const instances = await this.#meshes.place({
      ...wanted,
      transform: IDENTITY,
      material: undefined,
      keepsOwnMaterials: true,
    });
    if (instances.length === 0) return undefined;
    const hasMaterials = !wanted.isPainted && (await this.#meshes.hasMaterials(wanted));
    const parts = instances
      .filter(({ geometry }) => geometry.indices.length > 0)
      .map((instance) => bakedPart(instance, hasMaterials));
    return { type: 'mesh', name: this.#nameFor(reference), parts };
  }

  #nameFor(reference: string): string {
    const file = reference.slice(reference.lastIndexOf('/') + 1);
    const stem = file.replace(/\.\w+$/, '').replace(/[^\w-]+/g, '_') || 'mesh';
    let name = stem;
    for (let number = 2; this.#names.has(name.toLowerCase()); number++) name = `${stem}_${number}`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}

/** Triangles in the frame that an instance places them in. */
export function bakedPart({ geometry, material, transform }: Instance, hasMaterials: boolean): MeshPart {
  return { geometry: baked(geometry, transform), material: hasMaterials ? material : undefined };
}

/** Triangles in the frame that they are placed in; a mirrored mesh keeps its outside outside. */
export function baked(geometry: Geometry, transform: Matrix4): Geometry {
  if (transform.every((value, at) => value === IDENTITY[at])) return geometry;
  const positions = transformPoints(transform, geometry.positions);
  const normals = transformNormals(transform, geometry.normals);
  const isMirrored = determinant3(transform) < 0;
  const indices = isMirrored
    ? geometry.indices.map((_, at, all) => all[at + 2 - 2 * (at % 3)] ?? 0)
    : geometry.indices;
  return { ...geometry, positions, normals, indices };
}
