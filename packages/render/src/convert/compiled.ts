import type { LoadContext } from '@bindery/formats/context';
import { compileModel } from '@bindery/formats/mjcf/compile';
import { integer, namesOf, placement, row } from '@bindery/formats/mjcf/lookups';
import { ModelMaterials } from '@bindery/formats/mjcf/materials';
import { excludedPairs, inertialOf, jointOf } from '@bindery/formats/mjcf/mechanism';
import { couplingsOf, ModelActuators } from '@bindery/formats/mjcf/mechanism-control';
import { simpleForm } from '@bindery/formats/mjcf/mechanism-shapes';
import { copyModelFiles } from '@bindery/formats/mjcf/model-files';
import { type Calculation, physicsOf } from '@bindery/formats/mjcf/options';
import type { Configuration } from '@bindery/formats/model/kinematics';
import { fromRotation, type Matrix4, turnOf } from '@bindery/formats/model/matrix';
import type { Inertial } from '@bindery/formats/model/mechanism';
import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { withMujoco } from '../host/mujoco.ts';
import { Simulator } from '../simulate/simulator.ts';
import { type Look, ShapeList, type ShapesByBody, surfaceOfForm } from './body-shapes.ts';
import type { Subject } from './proof.ts';

/** Compares a model as MuJoCo compiles it. @throws Unrenderable if MuJoCo refuses it. */
export function withCompiled<T>(
  entry: string,
  context: LoadContext,
  use: (compiled: CompiledSubject) => T,
): Promise<T> {
  return withMujoco(async (mujoco) => {
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

/** How long bodies are left to themselves, whether actuators act on them, without control, and how that is calculated. */
export interface Trial {
  readonly seconds: number;
  readonly isDriven: boolean;
  readonly calculation: Calculation;
}

/** Where bodies are after a trial, and the values of hinges and slides. */
export interface Motion {
  readonly frames: ReadonlyMap<string, Matrix4>;
  readonly joints: ReadonlyMap<string, number>;
}

/** In metres. */
const OVERLAP = 1e-3;
/** Values of mjtJoint; those that are larger have one coordinate. */
const [FREE, BALL] = [0, 1];
const VISUAL_GROUP = 2;

export class CompiledSubject implements Subject {
  readonly mujoco: MainModule;
  readonly model: MjModel;
  readonly #data: MjData;
  readonly #bodies: readonly string[];
  readonly #joints: readonly string[];

  constructor(mujoco: MainModule, model: MjModel, data: MjData) {
    this.mujoco = mujoco;
    this.model = model;
    this.#data = data;
    this.#bodies = namesOf(model, 'body');
    this.#joints = namesOf(model, 'joint');
  }

  get inertials(): ReadonlyMap<string, Inertial> {
    return new Map(
      this.#bodies.flatMap((name, body): [string, Inertial][] => {
        const inertial = inertialOf(this.model, body);
        return inertial === undefined ? [] : [[name, inertial]];
      }),
    );
  }

  get floating(): Subject['floating'] {
    const { jnt_type, jnt_bodyid } = this.model;
    const free = [...this.#joints.keys()].filter((joint) => integer(jnt_type, joint) === FREE);
    return new Set(free.map((joint) => this.#bodies[integer(jnt_bodyid, joint)] ?? ''));
  }

  get control(): Subject['control'] {
    const { driving } = new ModelActuators(this.model, this.#joints);
    const physics = physicsOf(this.mujoco, this.model);
    return { actuators: driving, excluded: excludedPairs(this.model, this.#bodies), physics };
  }

  get joints(): Subject['joints'] {
    const couplings = couplingsOf(this.model, this.#joints);
    return new Map(
      this.#joints.map((name, joint) => [
        name,
        { ...jointOf(this.model, joint, name), ...couplings.of(joint) },
      ]),
    );
  }

  place(configuration: Configuration): Map<string, Matrix4> {
    const { jnt_type, jnt_qposadr, jnt_bodyid } = this.model;
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
    this.mujoco.mj_kinematics(this.model, this.#data);
    const { xpos, xmat } = this.#data;
    return new Map(this.#bodies.map((name, body) => [name, frameAt(xpos, xmat, body)]));
  }

  get visuals(): ShapesByBody {
    return this.#shapesIn((group) => group === VISUAL_GROUP);
  }

  get colliders(): ShapesByBody {
    return this.#shapesIn((group) => group !== VISUAL_GROUP);
  }

  #shapesIn(isChosen: (group: number) => boolean): ShapesByBody {
    const model = this.model;
    const looks = new Map<number, Look>();
    const list = new ShapeList();
    for (let geom = 0; geom < model.ngeom; geom++) {
      if (!isChosen(integer(model.geom_group, geom))) continue;
      const { form, surface } = this.#shape(geom);
      const pose = placement(row(model.geom_pos, geom, 3), row(model.geom_quat, geom, 4));
      const body = this.#bodies[integer(model.geom_bodyid, geom)] ?? '';
      const [friction] = row(model.geom_friction, geom, 3);
      const material = integer(model.geom_matid, geom);
      const look = looks.get(material) ?? lookOf(model, material);
      looks.set(material, look);
      list.add(body, pose, form?.type ?? 'mesh', surface, { ...look, friction });
    }
    return list.byBody;
  }

  /** Where it is some time after it was there, without contacts, and without control or without actuators. */
  motionFrom(start: Configuration, { seconds, isDriven, calculation }: Trial): Motion {
    const [{ opt }, bits] = [this.model, this.mujoco.mjtDisableBit];
    const { disableflags } = opt;
    Object.assign(opt, calculation);
    opt.disableflags |= bits.mjDSBL_CONTACT.value | bits.mjDSBL_SENSOR.value;
    if (!isDriven) opt.disableflags |= bits.mjDSBL_ACTUATION.value;
    this.mujoco.mj_resetData(this.model, this.#data);
    this.place(start);
    for (let step = 0; step < Math.round(seconds / opt.timestep); step++)
      this.mujoco.mj_step(this.model, this.#data);
    opt.disableflags = disableflags;
    const frames = this.place(new Map());
    const { jnt_type, jnt_qposadr } = this.model;
    const qpos = this.#data.qpos as Float64Array;
    const single = [...this.#joints.entries()].filter(([joint]) => integer(jnt_type, joint) > BALL);
    const joints = single.map(([joint, name]) => [name, qpos[integer(jnt_qposadr, joint)] ?? 0] as const);
    return { frames, joints: new Map(joints) };
  }

  /** The bodies that are inside of each other where the model begins, by more than a millimetre. */
  overlapping(): [string, string][] {
    const simulator = new Simulator(this.mujoco, this.model);
    try {
      simulator.reset(this.model.nkey > 0 ? 0 : -1);
      const deep = simulator.contacts().filter(({ distance }) => distance < -OVERLAP);
      const bodyOf = (geom: number) => this.#bodies[integer(this.model.geom_bodyid, geom)] ?? '';
      return deep.map(({ geoms: [one, other] }) => [bodyOf(one), bodyOf(other)]);
    } finally {
      simulator.delete();
    }
  }

  /** The form of a geom, undefined for a mesh, and its surface in the frame of the geom. */
  #shape(geom: number): { form: ReturnType<typeof simpleForm>; surface: ReturnType<typeof surfaceOfForm> } {
    const model = this.model;
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

/** The picture of a material, of which the smallest levels are kept: a model can have many large ones. */
function lookOf(model: MjModel, material: number): Look {
  if (material < 0) return {};
  const rgba = Float32Array.from(row(model.mat_rgba, material, 4));
  const { baseColorTexture, alphaMode } = new ModelMaterials(model).material({ rgba, material });
  return { picture: baseColorTexture?.levels.slice(-6), isOpaque: alphaMode === 'opaque' };
}

function frameAt(positions: unknown, rotations: unknown, index: number): Matrix4 {
  const [x = 0, y = 0, z = 0] = row(positions, index, 3);
  return fromRotation(rotations as Float64Array, index * 9, [x, y, z]);
}
