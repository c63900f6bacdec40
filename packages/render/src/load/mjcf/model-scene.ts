import type { MjData, MjModel } from '@mujoco/mujoco';
import { box, capsule, cylinder, ellipsoid, rectangle } from '../../geometry/primitives.ts';
import { fromRotation, IDENTITY, type Matrix4, multiply } from '../../matrix.ts';
import type { Geometry, Instance, Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { frontOf } from '../front.ts';
import { ModelBodies } from './bodies.ts';
import { flexSurface, skinSurface } from './deformables.ts';
import { ModelMaterials, type Paint } from './materials.ts';
import { type Carried, withoutScenery } from './scenery.ts';
import { NotStoodIn, type StandIns } from './stand-ins.ts';
import { heightField, ModelMeshes, type Placed } from './surfaces.ts';

/** The values of mjtGeom that have a surface of their own. */
const PLANE = 0;
const HFIELD = 1;
const SPHERE = 2;
const CAPSULE = 3;
const ELLIPSOID = 4;
const CYLINDER = 5;
const BOX = 6;
const MESH = 7;
const SDF = 8;
/** Groups that MuJoCo's viewers show; collision geometry stands in higher ones. */
const VISIBLE_GROUPS = 3;

/** Reads what a posed MuJoCo model shows. */
export class ModelScene {
  readonly #context: LoadContext;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #standIns: StandIns | undefined;
  readonly #meshes: ModelMeshes;
  readonly #materials: ModelMaterials;
  readonly #geom: Record<'type' | 'group' | 'body' | 'data' | 'material', Int32Array>;
  readonly #size: Float64Array;
  readonly #rgba: Float32Array;

  constructor(model: MjModel, data: MjData, standIns: StandIns | undefined, context: LoadContext) {
    this.#model = model;
    this.#data = data;
    this.#standIns = standIns;
    this.#context = context;
    this.#meshes = new ModelMeshes(model, standIns, context);
    this.#materials = new ModelMaterials(model, standIns, context);
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

  /**
   * Its visible geoms, skins and flexes, or all geoms where none of these is visible; without scenery that it would be
   * lost in. Planes and height fields of the world are no part of a model, unless there is nothing but height fields.
   */
  async read(): Promise<Scene> {
    const all = Array.from({ length: this.#model.ngeom }, (_, geom) => geom);
    const parts = all.filter((geom) => !this.#isBackdrop(geom));
    const deformed = await this.#deformed();
    let shown = await this.#carried(parts.filter((geom) => this.#isVisible(geom)));
    if (shown.length + deformed.length === 0) shown = await this.#carried(parts);
    if (shown.length + deformed.length === 0) {
      shown = await this.#carried(all.filter((geom) => this.#geom.type[geom] === HFIELD));
    }
    const bodies = new ModelBodies(this.#model);
    const subject = withoutScenery(shown, bodies);
    const jointed = subject.map(({ instance, body }) => ({
      instance,
      part: bodies.part(body),
      joints: bodies.joints(body),
    }));
    const instances = [...subject.map(({ instance }) => instance), ...deformed];
    return { up: 'z', front: frontOf(jointed), instances, points: [] };
  }

  #isBackdrop(geom: number): boolean {
    const type = this.#geom.type[geom];
    return this.#geom.body[geom] === 0 && (type === PLANE || type === HFIELD);
  }

  #isVisible(geom: number): boolean {
    return (
      (this.#geom.group[geom] as number) < VISIBLE_GROUPS && this.#materials.color(this.#paint(geom))[3] > 0
    );
  }

  #paint(geom: number): Paint {
    return {
      rgba: this.#rgba.subarray(geom * 4, geom * 4 + 4),
      material: this.#geom.material[geom] as number,
    };
  }

  async #carried(geoms: readonly number[]): Promise<Carried[]> {
    const carried: Carried[] = [];
    const positions = Float64Array.from(this.#data.geom_xpos as ArrayLike<number>);
    const rotations = Float64Array.from(this.#data.geom_xmat as ArrayLike<number>);
    for (const geom of geoms) {
      const placed = await this.#surface(geom);
      if (placed === undefined) continue;
      const [x = 0, y = 0, z = 0] = positions.subarray(geom * 3, geom * 3 + 3);
      const transform = multiply(fromRotation(rotations, geom * 9, [x, y, z]), placed.layout);
      const instance = await this.#instance(placed.geometry, this.#paint(geom), transform);
      // MuJoCo lays it on along the axes of inertia.
      if (placed.isStoodIn && placed.geometry.uvs !== instance.geometry.uvs) throw new NotStoodIn();
      carried.push({ instance, body: this.#geom.body[geom] as number });
    }
    return carried;
  }

  async #instance(geometry: Geometry, paint: Paint, transform: Matrix4): Promise<Instance> {
    this.#context.budget.spend('triangles', geometry.indices.length / 3);
    this.#context.budget.spend('vertices', geometry.positions.length / 3);
    const material = await this.#materials.material(paint);
    const isLaid = material.baseColorTexture === undefined || geometry.uvs !== undefined;
    return {
      geometry: isLaid ? geometry : { ...geometry, uvs: flatUvs(geometry.positions) },
      material,
      transform,
    };
  }

  async #surface(geom: number): Promise<Placed | undefined> {
    const data = this.#geom.data[geom] as number;
    const type = this.#geom.type[geom] as number;
    if (type === MESH || type === SDF) return data < 0 ? undefined : this.#meshes.mesh(data);
    // A primitive that was fitted to a mesh.
    if (type !== HFIELD && data >= 0 && this.#meshes.isStoodIn(data)) throw new NotStoodIn();
    const geometry =
      type === HFIELD ? heightField(this.#model, data, this.#standIns) : this.#primitive(geom, type);
    return geometry && { geometry, layout: IDENTITY, isStoodIn: false };
  }

  #primitive(geom: number, type: number): Geometry | undefined {
    const [a = 0, b = 0, c = 0] = this.#size.subarray(geom * 3, geom * 3 + 3);
    switch (type) {
      case PLANE:
        return a > 0 && b > 0 ? rectangle(a, b) : undefined;
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

  /** Skins and flexes of visible groups, in the world's frame. */
  async #deformed(): Promise<Instance[]> {
    const [model, data] = [this.#model, this.#data];
    if (model.nflex > 0 && this.#standIns?.areUsed) throw new NotStoodIn();
    const skins = Array.from({ length: model.nskin }, (_, skin) => ({
      group: (model.skin_group as Int32Array)[skin] as number,
      paint: paintOf(model.skin_rgba, model.skin_matid, skin),
      surface: () => skinSurface(model, data, skin),
    }));
    const flexes = Array.from({ length: model.nflex }, (_, flex) => ({
      group: (model.flex_group as Int32Array)[flex] as number,
      paint: paintOf(model.flex_rgba, model.flex_matid, flex),
      surface: () => flexSurface(model, data, flex),
    }));
    const instances: Instance[] = [];
    for (const { group, paint, surface } of [...skins, ...flexes]) {
      if (group >= VISIBLE_GROUPS || this.#materials.color(paint)[3] === 0) continue;
      const geometry = surface();
      if (geometry !== undefined) instances.push(await this.#instance(geometry, paint, IDENTITY));
    }
    return instances;
  }
}

function paintOf(rgba: unknown, materials: unknown, index: number): Paint {
  return {
    rgba: (rgba as Float32Array).slice(index * 4, index * 4 + 4),
    material: (materials as Int32Array)[index] as number,
  };
}

/** Coordinates of a texture laid on from above, as MuJoCo does for geoms without any. */
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
