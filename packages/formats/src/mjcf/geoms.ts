import type { MjModel } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import { memoised } from '../memoised.ts';
import type { Matrix4 } from '../model/matrix.ts';
import { box, capsule, cylinder, ellipsoid, rectangle } from '../model/primitives.ts';
import type { Geometry, Instance, Material } from '../model/scene.ts';
import { nameOf } from './lookups.ts';
import { ModelMaterials, type Paint } from './materials.ts';
import { compiledMesh, heightField } from './meshes.ts';

/** The values of mjtGeom that have a surface of their own. */
export const PLANE = 0;
const HFIELD = 1;
export const SPHERE = 2;
export const CAPSULE = 3;
export const ELLIPSOID = 4;
export const CYLINDER = 5;
export const BOX = 6;
export const MESH = 7;
const SDF = 8;
/** Groups that MuJoCo's viewers show; collision geometry is in higher ones. */
const VISIBLE_GROUPS = 3;

/** The geoms of a model: how each looks in its own frame, and whether viewers show it. */
export class ModelGeoms {
  readonly #context: LoadContext;
  readonly #model: MjModel;
  readonly #materials: ModelMaterials;
  readonly #geom: Record<'type' | 'group' | 'body' | 'data' | 'material', Int32Array>;
  readonly #size: Float64Array;
  readonly #rgba: Float32Array;

  constructor(model: MjModel, context: LoadContext) {
    this.#model = model;
    this.#context = context;
    this.#materials = new ModelMaterials(model);
    this.#geom = {
      type: Int32Array.from(model.geom_type as ArrayLike<number>),
      group: Int32Array.from(model.geom_group as ArrayLike<number>),
      body: Int32Array.from(model.geom_bodyid as ArrayLike<number>),
      data: Int32Array.from(model.geom_dataid as ArrayLike<number>),
      material: Int32Array.from(model.geom_matid as ArrayLike<number>),
    };
    this.#size = Float64Array.from(model.geom_size as ArrayLike<number>);
    this.#rgba = Float32Array.from(model.geom_rgba as ArrayLike<number>);
  }

  readonly #mesh = memoised((mesh: number) => compiledMesh(this.#model, mesh));

  get all(): number[] {
    return Array.from({ length: this.#model.ngeom }, (_, geom) => geom);
  }

  body(geom: number): number {
    return this.#geom.body[geom] as number;
  }

  isHeightField(geom: number): boolean {
    return this.#geom.type[geom] === HFIELD;
  }

  /** Whether a geom is a plane or height field of the world, which is not part of a model. */
  isBackdrop(geom: number): boolean {
    const type = this.#geom.type[geom];
    return this.#geom.body[geom] === 0 && (type === PLANE || type === HFIELD);
  }

  /** Whether a geom can collide with others. */
  collides(geom: number): boolean {
    const of = (values: unknown) => (values as Int32Array)[geom] ?? 0;
    return (of(this.#model.geom_contype) | of(this.#model.geom_conaffinity)) !== 0;
  }

  isVisible(geom: number): boolean {
    return this.isPainted(this.#geom.group[geom] as number, this.paint(geom));
  }

  /** Whether viewers show things of this group and paint. */
  isPainted(group: number, paint: Paint): boolean {
    return group < VISIBLE_GROUPS && this.#materials.color(paint)[3] > 0;
  }

  paint(geom: number): Paint {
    return {
      rgba: this.#rgba.subarray(geom * 4, geom * 4 + 4),
      material: this.#geom.material[geom] as number,
    };
  }

  instance(geometry: Geometry, paint: Paint, transform: Matrix4): Instance {
    this.#context.budget.spend('triangles', geometry.indices.length / 3);
    this.#context.budget.spend('vertices', geometry.positions.length / 3);
    const material = this.material(paint);
    const isTextured = material.baseColorTexture !== undefined;
    return { geometry: isTextured ? laidOut(geometry) : geometry, material, transform };
  }

  material(paint: Paint): Material {
    return this.#materials.material(paint);
  }

  /** The surface of a geom in its own frame; undefined for a type that has none. */
  surface(geom: number): Geometry | undefined {
    const data = this.#geom.data[geom] as number;
    const type = this.#geom.type[geom] as number;
    if (type === MESH || type === SDF) return data < 0 ? undefined : this.#mesh(data);
    return type === HFIELD ? heightField(this.#model, data) : this.#primitive(geom, type);
  }

  #primitive(geom: number, type: number): Geometry | undefined {
    const [a = 0, b = 0, c = 0] = this.#size.subarray(geom * 3, geom * 3 + 3);
    switch (type) {
      case PLANE:
        return a > 0 && b > 0 ? rectangle(a, b) : this.#infinitePlane(geom, a, b);
      case SPHERE:
        return ellipsoid(a, a, a);
      case CAPSULE:
        return capsule(a, b);
      case ELLIPSOID:
        return ellipsoid(a, b, c);
      case CYLINDER:
        return cylinder(a, b);
      case BOX:
        return box(a, b, c);
      default:
        return undefined;
    }
  }

  /** A plane of the world without a size along an axis has no end there; its texture repeats by the metre. */
  #infinitePlane(geom: number, a: number, b: number): Geometry | undefined {
    if (!this.isBackdrop(geom)) return undefined;
    const reach = this.#model.stat.extent * HORIZON;
    const [x, y] = [a || reach, b || reach];
    const plane = rectangle(x, y);
    return { ...plane, uvs: plane.uvs?.map((value, at) => value * 2 * (at % 2 ? y : x)) };
  }
}

/** Of a model's extent: what is shown of a plane without end. */
const HORIZON = 10;

/** A geometry with texture coordinates: its own, or projected from above, as MuJoCo does for geoms without any. */
export function laidOut(geometry: Geometry): Geometry {
  return geometry.uvs === undefined ? { ...geometry, uvs: flatUvs(geometry.positions) } : geometry;
}

function flatUvs(positions: Float32Array): Float32Array {
  let [reachX, reachY] = [1e-9, 1e-9];
  for (let i = 0; i + 2 < positions.length; i += 3) {
    reachX = Math.max(reachX, Math.abs(positions[i] as number));
    reachY = Math.max(reachY, Math.abs(positions[i + 1] as number));
  }
  const uvs = new Float32Array((positions.length / 3) * 2);
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    uvs[vertex * 2] = 0.5 + (positions[vertex * 3] as number) / (2 * reachX);
    uvs[vertex * 2 + 1] = 0.5 - (positions[vertex * 3 + 1] as number) / (2 * reachY);
  }
  return uvs;
}

/** Values of a box in `geom_aabb`: its centre, then half of each side. */
const BOX_VALUES = 6;

/** Each mesh that a geom shows, with the longest side of its bounding box in metres. */
export function placedMeshes(model: MjModel): { name: string; side: number }[] {
  const types = model.geom_type as ArrayLike<number>;
  const meshes = model.geom_dataid as ArrayLike<number>;
  const boxes = model.geom_aabb as ArrayLike<number>;
  const sides = new Map<number, number>();
  for (let geom = 0; geom < types.length; geom++) {
    const mesh = meshes[geom] ?? -1;
    if (types[geom] !== MESH || mesh < 0 || sides.has(mesh)) continue;
    const halves = [3, 4, 5].map((axis) => boxes[geom * BOX_VALUES + axis] ?? 0);
    sides.set(mesh, 2 * Math.max(...halves));
  }
  return [...sides].map(([mesh, side]) => ({ name: nameOf(model, model.name_meshadr, mesh), side }));
}
