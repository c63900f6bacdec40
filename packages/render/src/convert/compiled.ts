import { compileModel } from '@bindery/formats/mjcf/compile';
import { nameOf } from '@bindery/formats/mjcf/lookups';
import { inertialOf, jointOf } from '@bindery/formats/mjcf/mechanism';
import { couplingsOf } from '@bindery/formats/mjcf/mechanism-control';
import { simpleForm } from '@bindery/formats/mjcf/mechanism-shapes';
import { integer, placement, row } from '@bindery/formats/mjcf/mechanism-tables';
import { copyModelFiles } from '@bindery/formats/mjcf/model-files';
import { type Bounds, boundsOf, unionBounds } from '@bindery/formats/model/bounds';
import type { Configuration } from '@bindery/formats/model/kinematics';
import { fromRotation, type Matrix4, transformPoints, turnOf } from '@bindery/formats/model/matrix';
import type { Inertial } from '@bindery/formats/model/mechanism';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { withMujoco } from '../host/mujoco.ts';
import { createRendererContext } from '../host/renderer-context.ts';
import { Simulator } from '../simulate/simulator.ts';
import { ColliderList, type CollidersByBody, surfaceOfForm } from './colliders.ts';
import type { Seen, Subject } from './proof.ts';

/** Compares a model as MuJoCo compiles it. @throws Unrenderable if MuJoCo refuses it. */
export function withCompiled<T>(
  entry: string,
  files: ReadonlyMap<string, Uint8Array>,
  use: (compiled: CompiledSubject) => T,
): Promise<T> {
  return withMujoco(async (mujoco) => {
    const context = createRendererContext(memoryFiles(files));
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    const data = new mujoco.MjData(model);
    try {
      return use(new CompiledSubject(mujoco, model, data));
    } finally {
      data.delete();
      model.delete();
    }
  });
}

/** In metres. */
const OVERLAP = 1e-3;
/** The value of mjtJoint. */
const FREE = 0;
const VISUAL_GROUP = 2;

class CompiledSubject implements Subject {
  readonly #mujoco: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #bodies: readonly string[];
  readonly #joints: readonly string[];

  constructor(mujoco: MainModule, model: MjModel, data: MjData) {
    this.#mujoco = mujoco;
    this.#model = model;
    this.#data = data;
    this.#bodies = Array.from({ length: model.nbody }, (_, body) => nameOf(model, model.name_bodyadr, body));
    this.#joints = Array.from({ length: model.njnt }, (_, joint) => nameOf(model, model.name_jntadr, joint));
  }

  get inertials(): ReadonlyMap<string, Inertial> {
    return new Map(
      this.#bodies.flatMap((name, body): [string, Inertial][] => {
        const inertial = inertialOf(this.#model, body);
        return inertial === undefined ? [] : [[name, inertial]];
      }),
    );
  }

  get joints(): Subject['joints'] {
    const couplings = couplingsOf(this.#model, this.#joints);
    return new Map(
      this.#joints.map((name, joint) => [
        name,
        { ...jointOf(this.#model, joint, name), ...couplings.of(joint) },
      ]),
    );
  }

  place(configuration: Configuration): Map<string, Matrix4> {
    const { jnt_type, jnt_qposadr, jnt_bodyid } = this.#model;
    const qpos = this.#data.qpos as Float64Array;
    for (const [joint, name] of this.#joints.entries()) {
      const isFree = integer(jnt_type, joint) === FREE;
      const value = configuration.get(isFree ? (this.#bodies[integer(jnt_bodyid, joint)] ?? '') : name);
      const address = integer(jnt_qposadr, joint);
      if (typeof value === 'number') qpos[address] = value;
      else if (value !== undefined) {
        const [x, y, z, w] = turnOf(value);
        qpos.set(isFree ? [value[12], value[13], value[14], w, x, y, z] : [w, x, y, z], address);
      }
    }
    this.#mujoco.mj_kinematics(this.#model, this.#data);
    const { xpos, xmat } = this.#data;
    return new Map(this.#bodies.map((name, body) => [name, frameAt(xpos, xmat, body)]));
  }

  seenAt(configuration: Configuration): Seen {
    this.#mujoco.mj_resetData(this.#model, this.#data);
    this.place(configuration);
    const model = this.#model;
    let [triangles, primitives] = [0, 0];
    const bounds: Bounds[] = [];
    for (let geom = 0; geom < model.ngeom; geom++) {
      if (integer(model.geom_group, geom) !== VISUAL_GROUP) continue;
      const { form, surface } = this.#shape(geom);
      if (form === undefined) triangles += surface.indices.length / 3;
      else primitives++;
      if (form?.type === 'plane') continue;
      const frame = frameAt(this.#data.geom_xpos, this.#data.geom_xmat, geom);
      bounds.push(boundsOf([transformPoints(frame, surface.positions)]));
    }
    return { triangles, primitives, bounds: unionBounds(bounds) };
  }

  get colliders(): CollidersByBody {
    const model = this.#model;
    const list = new ColliderList();
    for (let geom = 0; geom < model.ngeom; geom++) {
      if (integer(model.geom_group, geom) === VISUAL_GROUP) continue;
      const { form, surface } = this.#shape(geom);
      const pose = placement(row(model.geom_pos, geom, 3), row(model.geom_quat, geom, 4));
      const body = this.#bodies[integer(model.geom_bodyid, geom)] ?? '';
      list.add(body, pose, form?.type ?? 'mesh', surface);
    }
    return list.byBody;
  }

  /** The frames of bodies a second after they were there, without contacts and without control. */
  placeAfterSecond(start: Configuration): Map<string, Matrix4> {
    const { opt } = this.#model;
    opt.disableflags |= this.#mujoco.mjtDisableBit.mjDSBL_CONTACT.value;
    this.#mujoco.mj_resetData(this.#model, this.#data);
    this.place(start);
    for (let step = 0; step < 1 / opt.timestep; step++) this.#mujoco.mj_step(this.#model, this.#data);
    return this.place(new Map());
  }

  /** The bodies that are inside of each other where the model begins, by more than a millimetre. */
  overlapping(): [string, string][] {
    const simulator = new Simulator(this.#mujoco, this.#model);
    try {
      simulator.reset(this.#model.nkey > 0 ? 0 : -1);
      const deep = simulator.contacts().filter(({ distance }) => distance < -OVERLAP);
      const bodyOf = (geom: number) => this.#bodies[integer(this.#model.geom_bodyid, geom)] ?? '';
      return deep.map(({ geoms: [one, other] }) => [bodyOf(one), bodyOf(other)]);
    } finally {
      simulator.delete();
    }
  }

  /** The form of a geom, undefined for a mesh, and its surface in the frame of the geom. */
  #shape(geom: number): { form: ReturnType<typeof simpleForm>; surface: ReturnType<typeof surfaceOfForm> } {
    const model = this.#model;
    const form = simpleForm(integer(model.geom_type, geom), row(model.geom_size, geom, 3));
    if (form !== undefined) return { form, surface: surfaceOfForm(form) };
    const mesh = integer(model.geom_dataid, geom);
    const part = (values: unknown, first: unknown, count: unknown) => {
      const start = integer(first, mesh) * 3;
      return (values as Float32Array).slice(start, start + integer(count, mesh) * 3);
    };
    const positions = part(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum);
    const indices = Uint32Array.from(part(model.mesh_face, model.mesh_faceadr, model.mesh_facenum));
    return { form, surface: { positions, indices } };
  }
}

function frameAt(positions: unknown, rotations: unknown, index: number): Matrix4 {
  const [x = 0, y = 0, z = 0] = row(positions, index, 3);
  return fromRotation(rotations as Float64Array, index * 9, [x, y, z]);
}
