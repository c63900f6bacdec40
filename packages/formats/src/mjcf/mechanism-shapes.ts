import type { MjModel } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import { LossList } from '../model/losses.ts';
import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  transformNormals,
  transformPoints,
} from '../model/matrix.ts';
import type { Form, Shape } from '../model/mechanism.ts';
import type { Geometry, Material } from '../model/scene.ts';
import type { Loss } from '../verdicts.ts';
import { BOX, CAPSULE, CYLINDER, ELLIPSOID, laidOut, ModelGeoms, PLANE, SPHERE } from './geoms.ts';
import { integer, nameOf, namesOf, placement, row } from './lookups.ts';

type MeshForm = Extract<Form, { type: 'mesh' }>;

/** The geoms of a model as shapes: what viewers show is visual, what collides is a collision shape, and some are both. */
export class ModelShapes {
  readonly #context: LoadContext;
  readonly #model: MjModel;
  readonly #geoms: ModelGeoms;
  readonly #shown: ReadonlySet<number>;
  readonly #paired: ReadonlySet<number>;
  readonly #byBody: Map<number, number[]>;
  readonly #meshes = new Map<Geometry, Partial<Record<'own' | 'laidOut', MeshForm>>>();
  readonly #materials = new Map<string, Material>();
  readonly #names: readonly string[];

  constructor(model: MjModel, context: LoadContext) {
    this.#context = context;
    this.#model = model;
    this.#geoms = new ModelGeoms(model, context);
    this.#names = namesOf(model, 'geom');
    this.#shown = this.#shownGeoms();
    const pairs = [model.pair_geom1, model.pair_geom2].map((ids) => [...(ids as Int32Array)]);
    this.#paired = new Set(pairs.flat());
    this.#byBody = Map.groupBy(this.#geoms.all, (geom) => this.#geoms.body(geom));
  }

  of(body: number): Shape[] {
    return (this.#byBody.get(body) ?? []).flatMap((geom) => this.#shapes(geom));
  }

  get losses(): Loss[] {
    const losses = new LossList();
    for (const geom of this.#geoms.all.filter((one) => this.#geoms.isHeightField(one)))
      losses.add('hfield', this.#name(geom), 'kept as a surface to look at that nothing collides with');
    for (const geom of this.#geoms.all.filter((one) => !this.#shown.has(one) && !this.#isSolid(one)))
      losses.add('geom', this.#name(geom), 'it collides with nothing, and viewers hide its group');
    const why = 'bits that say which geoms collide with which others are not converted';
    for (const geom of this.#selectiveGeoms()) losses.add('contype', this.#name(geom), why);
    return losses.all;
  }

  /** What viewers show, or everything if that is nothing. */
  #shownGeoms(): ReadonlySet<number> {
    const visible = this.#geoms.all.filter((geom) => this.#geoms.isVisible(geom));
    const isEmpty = visible.every((geom) => this.#geoms.isBackdrop(geom));
    const hasMore = this.#model.nskin > 0 || this.#model.nflex > 0;
    return new Set(isEmpty && !hasMore ? this.#geoms.all : visible);
  }

  #shapes(geom: number): Shape[] {
    const isVisual = this.#shown.has(geom);
    const isCollision = this.#isSolid(geom) && !this.#geoms.isHeightField(geom);
    const name = this.#name(geom);
    const shapes: Shape[] = [];
    if (isVisual) {
      const material = this.#material(geom);
      const shape = this.#placed(geom, material);
      if (shape !== undefined) shapes.push({ name, role: 'visual', material, ...shape });
    }
    if (isCollision) {
      const shape = this.#placed(geom, undefined);
      const friction = row(this.#model.geom_friction, geom, 3)[0];
      if (shape !== undefined) {
        const own = isVisual ? `${name}_collision` : name;
        shapes.push({ name: own, role: 'collision', material: undefined, friction, ...shape });
      }
    }
    return shapes;
  }

  /** The form of a geom, and where it is in its body; with a material, as it is drawn. */
  #placed(geom: number, material: Material | undefined): Pick<Shape, 'form' | 'pose'> | undefined {
    const model = this.#model;
    const pose = placement(row(model.geom_pos, geom, 3), row(model.geom_quat, geom, 4));
    const type = integer(model.geom_type, geom);
    const isPatch = type === PLANE && material !== undefined && !this.#geoms.isBackdrop(geom);
    const simple = simpleForm(type, row(model.geom_size, geom, 3));
    if (simple !== undefined && !isPatch) return { form: simple, pose };
    const surface = this.#geoms.surface(geom);
    if (surface === undefined) return undefined;
    const id = integer(model.geom_dataid, geom);
    if (type === PLANE) return { form: this.#mesh(this.#name(geom), surface, material), pose };
    if (this.#geoms.isHeightField(geom))
      return { form: this.#mesh(nameOf(model, model.name_hfieldadr, id), surface, material), pose };
    // MuJoCo moves meshes to their centres and turns them to their axes of inertia; this takes that back.
    const centred = placement(row(model.mesh_pos, id, 3), row(model.mesh_quat, id, 4));
    const form = this.#mesh(nameOf(model, model.name_meshadr, id), surface, material, centred);
    return { form, pose: multiply(pose, inverse(centred)) };
  }

  /** The form of a surface, which geoms share. */
  #mesh(name: string, surface: Geometry, material: Material | undefined, moved = IDENTITY): MeshForm {
    const forms = this.#meshes.get(surface) ?? {};
    this.#meshes.set(surface, forms);
    // A mesh without coordinates is laid out where it has a texture.
    const isBare = material?.baseColorTexture !== undefined && surface.uvs === undefined;
    const layout = isBare ? 'laidOut' : 'own';
    forms[layout] ??= this.#newMesh(name, isBare ? laidOut(surface) : surface, moved);
    return forms[layout];
  }

  #newMesh(name: string, geometry: Geometry, moved: Matrix4): MeshForm {
    this.#context.budget.spend('triangles', geometry.indices.length / 3);
    this.#context.budget.spend('vertices', geometry.positions.length / 3);
    const positions = transformPoints(moved, geometry.positions);
    const normals = transformNormals(moved, geometry.normals);
    return {
      type: 'mesh',
      name,
      parts: [{ geometry: { ...geometry, positions, normals }, material: undefined }],
    };
  }

  #isSolid(geom: number): boolean {
    return this.#geoms.collides(geom) || this.#paired.has(geom);
  }

  #name(geom: number): string {
    return this.#names[geom] ?? '';
  }

  #material(geom: number): Material {
    const paint = this.#geoms.paint(geom);
    const key = `${paint.rgba.join(' ')} ${paint.material}`;
    const material = this.#materials.get(key) ?? this.#geoms.material(paint);
    this.#materials.set(key, material);
    return material;
  }

  /** The geoms that do not collide with all others because of their bits. */
  #selectiveGeoms(): number[] {
    const { geom_contype: types, geom_conaffinity: affinities } = this.#model;
    const bitsOf = (geom: number) => [integer(types, geom), integer(affinities, geom)] as const;
    const byBits = Map.groupBy(
      this.#geoms.all.filter((geom) => this.#geoms.collides(geom)),
      (geom) => bitsOf(geom).join(),
    );
    const kinds = [...byBits.values()];
    const isSelective = ([geom = 0]: number[]) => {
      const [type, affinity] = bitsOf(geom);
      return kinds.some(([other = 0]) => {
        const [otherType, otherAffinity] = bitsOf(other);
        return !(type & otherAffinity) && !(otherType & affinity);
      });
    };
    return kinds.filter(isSelective).flat();
  }
}

/** The form of a geom by its type and `geom_size`; undefined for one that has a mesh or a field. */
export function simpleForm(
  type: number,
  [a = 0, b = 0, c = 0]: readonly number[],
): Exclude<Form, { type: 'mesh' }> | undefined {
  switch (type) {
    case PLANE:
      return { type: 'plane' };
    case SPHERE:
      return { type: 'sphere', radius: a };
    case CAPSULE:
      return { type: 'capsule', radius: a, length: 2 * b };
    case ELLIPSOID:
      return { type: 'ellipsoid', radii: [a, b, c] };
    case CYLINDER:
      return { type: 'cylinder', radius: a, length: 2 * b };
    case BOX:
      return { type: 'box', size: [2 * a, 2 * b, 2 * c] };
    default:
      return undefined;
  }
}
