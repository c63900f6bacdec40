import type { MjData, MjModel } from '@mujoco/mujoco';
import { fromRotation, IDENTITY, multiply } from '../../matrix.ts';
import type { Geometry, Instance, Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { frontOf } from '../front.ts';
import { ModelBodies } from './bodies.ts';
import { flexSurface, skinSurface } from './deformables.ts';
import { ModelGeoms } from './geoms.ts';
import type { Paint } from './materials.ts';
import { type BodyInstance, withoutScenery } from './scenery.ts';
import { OriginalFilesNeeded, type StandIns } from './stand-ins.ts';

/** A geom to show, in the world's frame. */
export interface VisibleGeom extends BodyInstance {
  readonly geom: number;
}

/** A skin or a flex: its surface, in the world's frame, follows the bodies. */
export interface Deformable {
  readonly paint: Paint;
  readonly surface: () => Geometry | undefined;
}

/** Reads what a posed MuJoCo model shows. */
export class ModelScene {
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #standIns: StandIns | undefined;
  readonly geoms: ModelGeoms;

  constructor(model: MjModel, data: MjData, standIns: StandIns | undefined, context: LoadContext) {
    this.#model = model;
    this.#data = data;
    this.#standIns = standIns;
    this.geoms = new ModelGeoms(model, standIns, context);
  }

  /** Reads the scene to draw, without scenery that its subject would be lost in. */
  async read(): Promise<Scene> {
    const deformed = await this.readDeformables();
    const shown = await this.visibleGeoms(deformed.length > 0);
    const { subject, front } = this.subject(shown);
    return {
      up: 'z',
      front,
      instances: [...subject.map(({ instance }) => instance), ...deformed],
      points: [],
    };
  }

  /**
   * Returns the visible geoms, or all geoms if nothing is visible at all. Planes and height fields of the world are
   * left out, except the height fields of a model that has nothing else.
   */
  async visibleGeoms(isMoreVisible: boolean): Promise<VisibleGeom[]> {
    const { geoms } = this;
    const parts = geoms.all.filter((geom) => !geoms.isBackdrop(geom));
    let shown = await this.placeGeoms(parts.filter((geom) => geoms.isVisible(geom)));
    if (shown.length === 0 && !isMoreVisible) shown = await this.placeGeoms(parts);
    if (shown.length === 0 && !isMoreVisible) {
      shown = await this.placeGeoms(geoms.all.filter((geom) => geoms.isHeightField(geom)));
    }
    return shown;
  }

  /** What to show, and where its front is. */
  subject(
    shown: readonly VisibleGeom[],
  ): Required<Pick<Scene, 'front'>> & { subject: readonly BodyInstance[] } {
    const bodies = new ModelBodies(this.#model);
    const subject = withoutScenery(shown, bodies);
    const jointed = subject.map(({ instance, body }) => ({
      instance,
      part: bodies.part(body),
      joints: bodies.joints(body),
    }));
    return { subject, front: frontOf(jointed) };
  }

  /** Places geoms according to the pose. */
  async placeGeoms(geoms: readonly number[]): Promise<VisibleGeom[]> {
    const carried: VisibleGeom[] = [];
    const positions = Float64Array.from(this.#data.geom_xpos as ArrayLike<number>);
    const rotations = Float64Array.from(this.#data.geom_xmat as ArrayLike<number>);
    for (const geom of geoms) {
      const placed = await this.geoms.surface(geom);
      if (placed === undefined) continue;
      const [x = 0, y = 0, z = 0] = positions.subarray(geom * 3, geom * 3 + 3);
      const transform = multiply(fromRotation(rotations, geom * 9, [x, y, z]), placed.toGeom);
      const instance = await this.geoms.instance(placed.geometry, this.geoms.paint(geom), transform);
      // MuJoCo projects the texture along the axes of inertia, which are unknown with a stand-in.
      if (placed.usesStandIn && placed.geometry.uvs !== instance.geometry.uvs)
        throw new OriginalFilesNeeded();
      carried.push({ instance, body: this.geoms.body(geom), geom });
    }
    return carried;
  }

  /** The visible skins and flexes. */
  get deformables(): Deformable[] {
    const [model, data] = [this.#model, this.#data];
    if (model.nflex > 0 && this.#standIns?.areUsed) throw new OriginalFilesNeeded();
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
    return [...skins, ...flexes].filter(({ group, paint }) => this.geoms.isPainted(group, paint));
  }

  /** The visible skins and flexes in the current pose. */
  async readDeformables(): Promise<Instance[]> {
    const instances: Instance[] = [];
    for (const { paint, surface } of this.deformables) {
      const geometry = surface();
      if (geometry !== undefined) instances.push(await this.geoms.instance(geometry, paint, IDENTITY));
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
