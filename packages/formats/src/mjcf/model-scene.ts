import type { MjData, MjModel } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import { frontOf } from '../model/front.ts';
import { fromRotation, IDENTITY, type Matrix4 } from '../model/matrix.ts';
import type { Geometry, Instance, RobotCounts, Scene } from '../model/scene.ts';
import { chainsOf, handsOf, type Link } from '../model/structure.ts';
import { flexSurface, skinSurface } from './deformables.ts';
import { ModelGeoms } from './geoms.ts';
import { nameOf } from './lookups.ts';
import type { Paint } from './materials.ts';
import { type BodyInstance, ModelBodies, withoutScenery } from './scenery.ts';

/** Types of joints, `mjtJoint`. */
const FREE = 0;
const SLIDE = 2;
const HINGE = 3;

/** A geom to show, in the world's frame. */
export interface VisibleGeom extends BodyInstance {
  readonly geom: number;
}

/** A skin or a flex: its surface, in the world's frame, follows the bodies. */
interface Deformable {
  readonly paint: Paint;
  readonly surface: () => Geometry | undefined;
}

/** Reads what a posed MuJoCo model shows. */
export class ModelScene {
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly geoms: ModelGeoms;
  #chosen: ReturnType<ModelScene['subject']> | undefined;

  constructor(model: MjModel, data: MjData, context: LoadContext) {
    this.#model = model;
    this.#data = data;
    this.geoms = new ModelGeoms(model, context);
  }

  /**
   * Reads the scene to draw, without scenery that its subject would be lost in. Read again in another pose, it shows
   * the same geoms, with the same surfaces.
   */
  read(): Scene {
    const deformed = this.readDeformables();
    this.#chosen ??= this.subject(this.visibleGeoms(deformed.length > 0));
    const { subject, front, own } = this.#chosen;
    const placeOf = this.#places();
    const placed = subject.map(({ instance, geom, body }) => ({
      link: body - 1,
      instance: { ...instance, transform: placeOf(geom) },
    }));
    const links = this.#links();
    return {
      up: 'z',
      unit: 'm',
      front,
      instances: [...placed.map(({ instance }) => instance), ...deformed],
      points: [],
      robot: this.#countRobot(links, own),
      hands: handsOf(links, placed),
    };
  }

  #countRobot(links: readonly Link[], own: ReadonlySet<number>): RobotCounts {
    const types = Array.from(this.#model.jnt_type as ArrayLike<number>);
    const masses = Array.from(this.#model.body_mass as ArrayLike<number>);
    return {
      bodies: links.length,
      joints: types.filter(isMoving).length,
      mass: masses.reduce((sum, mass, body) => (own.has(body) ? sum + mass : sum), 0),
      slides: types.filter((type) => type === SLIDE).length,
      chains: chainsOf(links),
      names: links.map(({ name }) => name),
    };
  }

  /** Every body but the world. */
  #links(): Link[] {
    const { nbody, name_bodyadr, jnt_type, jnt_bodyid, body_parentid } = this.#model;
    const [types, carriers, parents] = [jnt_type, jnt_bodyid, body_parentid].map((values) =>
      Array.from(values as ArrayLike<number>),
    ) as [number[], number[], number[]];
    const carried = Map.groupBy(
      carriers.filter((_, joint) => isMoving(types[joint] as number)),
      (body) => body,
    );
    return Array.from({ length: nbody - 1 }, (_, at) => ({
      name: nameOf(this.#model, name_bodyadr, at + 1),
      parent: (parents[at + 1] as number) - 1,
      joints: carried.get(at + 1)?.length ?? 0,
    }));
  }

  /**
   * Returns the visible geoms, or all geoms if nothing is visible at all. Planes and height fields of the world are
   * left out, except the height fields of a model that has nothing else.
   */
  visibleGeoms(isMoreVisible: boolean): VisibleGeom[] {
    const { geoms } = this;
    const parts = geoms.all.filter((geom) => !geoms.isBackdrop(geom));
    let shown = this.placeGeoms(parts.filter((geom) => geoms.isVisible(geom)));
    if (shown.length === 0 && !isMoreVisible) shown = this.placeGeoms(parts);
    if (shown.length === 0 && !isMoreVisible) {
      shown = this.placeGeoms(geoms.all.filter((geom) => geoms.isHeightField(geom)));
    }
    return shown;
  }

  /** What to show, where its front is, and the bodies that it weighs by. */
  subject(shown: readonly VisibleGeom[]): Required<Pick<Scene, 'front'>> & {
    subject: readonly VisibleGeom[];
    own: ReadonlySet<number>;
  } {
    const bodies = new ModelBodies(this.#model);
    const subject = withoutScenery(shown, bodies);
    const jointed = subject.map(({ instance, body }) => ({
      instance,
      part: bodies.part(body),
      joints: bodies.joints(body),
    }));
    return { subject, front: frontOf(jointed), own: this.#ownBodies(shown, subject) };
  }

  /** All bodies without scenery that is not shown, and without loose things beside what has joints. */
  #ownBodies(shown: readonly VisibleGeom[], subject: readonly VisibleGeom[]): ReadonlySet<number> {
    const { body_rootid, jnt_type, jnt_bodyid } = this.#model;
    const [roots, types, carriers] = [body_rootid, jnt_type, jnt_bodyid].map((values) =>
      Array.from(values as ArrayLike<number>),
    ) as [number[], number[], number[]];
    const rootsWith = (isMeant: (type: number) => boolean) =>
      new Set(carriers.flatMap((body, joint) => (isMeant(types[joint] as number) ? roots[body] : [])));
    const moving = rootsWith((type) => type === SLIDE || type === HINGE);
    const loose = moving.size > 0 ? rootsWith((type) => type === FREE).difference(moving) : new Set();
    const rootsOf = (geoms: readonly VisibleGeom[]) => new Set(geoms.map(({ body }) => roots[body]));
    const scenery = rootsOf(shown).difference(rootsOf(subject));
    return new Set([...roots.keys()].filter((body) => !loose.has(roots[body]) && !scenery.has(roots[body])));
  }

  /** Places geoms according to the pose. */
  placeGeoms(geoms: readonly number[]): VisibleGeom[] {
    const carried: VisibleGeom[] = [];
    const placeOf = this.#places();
    for (const geom of geoms) {
      const geometry = this.geoms.surface(geom);
      if (geometry === undefined) continue;
      const instance = this.geoms.instance(geometry, this.geoms.paint(geom), placeOf(geom));
      carried.push({ instance, body: this.geoms.body(geom), geom });
    }
    return carried;
  }

  /** Where each geom is in the current pose. */
  #places(): (geom: number) => Matrix4 {
    const positions = Float64Array.from(this.#data.geom_xpos as ArrayLike<number>);
    const rotations = Float64Array.from(this.#data.geom_xmat as ArrayLike<number>);
    return (geom) => {
      const [x = 0, y = 0, z = 0] = positions.subarray(geom * 3, geom * 3 + 3);
      return fromRotation(rotations, geom * 9, [x, y, z]);
    };
  }

  /** The visible skins and flexes. */
  get deformables(): Deformable[] {
    const [model, data] = [this.#model, this.#data];
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
  readDeformables(): Instance[] {
    const instances: Instance[] = [];
    for (const { paint, surface } of this.deformables) {
      const geometry = surface();
      if (geometry !== undefined) instances.push(this.geoms.instance(geometry, paint, IDENTITY));
    }
    return instances;
  }
}

function isMoving(type: number): boolean {
  return type === SLIDE || type === HINGE;
}

function paintOf(rgba: unknown, materials: unknown, index: number): Paint {
  return {
    rgba: (rgba as Float32Array).slice(index * 4, index * 4 + 4),
    material: (materials as Int32Array)[index] as number,
  };
}
