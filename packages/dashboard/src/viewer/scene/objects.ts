import type { Geometry, Instance, LineSet, PointCloud, SkinnedMove } from '@bindery/render/models';
import * as THREE from 'three';
import { Materials } from './materials.ts';

/** From this many copies on, they are drawn in one call. */
const MANY = 8;

/** Converts loaded models to three.js objects. Geometries and materials that are shared stay shared. */
export class ObjectFactory {
  readonly #materials: Materials;
  readonly #geometries = new Map<Geometry, THREE.BufferGeometry>();

  constructor(renderer: THREE.WebGLRenderer) {
    this.#materials = new Materials(renderer.capabilities.getMaxAnisotropy());
  }

  mesh({ geometry, material, transform }: Instance): THREE.Mesh {
    const mesh = new THREE.Mesh(
      this.geometry(geometry),
      this.#materials.get(material, geometry.colors !== undefined),
    );
    mesh.matrixAutoUpdate = false;
    mesh.matrix.fromArray(transform);
    return mesh;
  }

  /** A mesh whose vertices are carried by bones. */
  skinned(
    { geometry, material, transform }: Instance,
    move: SkinnedMove,
    joints: readonly THREE.Bone[],
  ): THREE.SkinnedMesh {
    const { positions, normals, indices, weights, bones } = move;
    const moved = bufferGeometry({ ...geometry, positions, normals });
    moved.setAttribute('skinIndex', new THREE.BufferAttribute(indices, 4));
    moved.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
    const mesh = new THREE.SkinnedMesh(moved, this.#materials.get(material, geometry.colors !== undefined));
    mesh.frustumCulled = false;
    const carriers = bones.flatMap(({ joint }) => joints[joint] ?? []);
    const bound = bones.map((bone) => new THREE.Matrix4().fromArray(bone.bound));
    mesh.bind(new THREE.Skeleton(carriers, bound), new THREE.Matrix4());
    return withTransform(mesh, transform);
  }

  /** Yields objects that do not move: many copies become one instanced mesh. */
  *staticObjects(instances: readonly Instance[]): Generator<THREE.Object3D> {
    const byGeometry = Map.groupBy(instances, ({ geometry }) => geometry);
    for (const copies of byGeometry.values()) {
      for (const [material, same] of Map.groupBy(copies, (copy) => copy.material)) {
        if (same.length < MANY || same.some(({ transform }) => isMirrored(transform))) {
          for (const instance of same) yield this.mesh(instance);
        } else yield this.#copies(same, material);
      }
    }
  }

  lines({ positions, ends, color, colors, transform }: LineSet): THREE.LineSegments {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setIndex(new THREE.BufferAttribute(ends, 1));
    if (colors !== undefined) geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    const [red, green, blue] = color;
    const material = new THREE.LineBasicMaterial({
      color: new THREE.Color(red, green, blue),
      vertexColors: colors !== undefined,
    });
    return withTransform(new THREE.LineSegments(geometry, material), transform);
  }

  /** `size` is that of the whole model, from which the size of the points is derived. */
  points({ positions, colors, transform }: PointCloud, size: number): THREE.Points {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    if (colors !== undefined) geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    const material = new THREE.PointsMaterial({ size: size / 220, vertexColors: colors !== undefined });
    if (colors === undefined) material.color.set(0x6b7684);
    return withTransform(new THREE.Points(geometry, material), transform);
  }

  geometry(geometry: Geometry): THREE.BufferGeometry {
    const made = this.#geometries.get(geometry) ?? bufferGeometry(geometry);
    this.#geometries.set(geometry, made);
    return made;
  }

  #copies(instances: readonly Instance[], material: Instance['material']): THREE.InstancedMesh {
    const { geometry } = instances[0] as Instance;
    const mesh = new THREE.InstancedMesh(
      this.geometry(geometry),
      this.#materials.get(material, geometry.colors !== undefined),
      instances.length,
    );
    for (const [index, { transform }] of instances.entries()) {
      mesh.instanceMatrix.array.set(transform, index * 16);
    }
    return mesh;
  }
}

export function bufferGeometry({
  positions,
  indices,
  normals,
  uvs,
  uvs1,
  colors,
}: Geometry): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
  if (uvs !== undefined) geometry.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
  if (uvs1 !== undefined) geometry.setAttribute('uv1', new THREE.BufferAttribute(uvs1, 2));
  if (colors !== undefined) geometry.setAttribute('color', new THREE.BufferAttribute(colors, 4));
  geometry.setIndex(new THREE.BufferAttribute(indices, 1));
  return geometry;
}

function withTransform<T extends THREE.Object3D>(object: T, transform: Instance['transform']): T {
  object.matrixAutoUpdate = false;
  object.matrix.fromArray(transform);
  return object;
}

function isMirrored(transform: Instance['transform']): boolean {
  return new THREE.Matrix4().fromArray(transform).determinant() < 0;
}

/** Counts triangles and vertices of everything drawn below an object, including instances. */
export function countSurface(root: THREE.Object3D): { triangles: number; vertices: number } {
  const sums = { triangles: 0, vertices: 0 };
  root.traverse((object) => {
    if (!(object instanceof THREE.Mesh)) return;
    const { index, attributes } = object.geometry as THREE.BufferGeometry;
    const vertices = attributes.position?.count ?? 0;
    const copies = object instanceof THREE.InstancedMesh ? object.count : 1;
    sums.triangles += copies * Math.floor((index?.count ?? vertices) / 3);
    sums.vertices += copies * vertices;
  });
  return sums;
}
