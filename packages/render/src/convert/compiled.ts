import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { memoryFiles } from '../files.ts';
import { type Bounds, boundsOf, unionBounds } from '../geometry/bounds.ts';
import { surfaceOf } from '../geometry/primitives.ts';
import { compileModel } from '../load/mjcf/compile.ts';
import { nameOf } from '../load/mjcf/geoms.ts';
import { copyModelFiles } from '../load/mjcf/model-files.ts';
import { withMujoco } from '../load/mjcf/mujoco.ts';
import { createRendererContext } from '../load/sharp-images.ts';
import { compose, fromRotation, type Matrix4, transformPoints, turnOf } from '../matrix.ts';
import { turnedInertia } from './inertia.ts';
import type { Configuration } from './kinematics.ts';
import type { Inertial, Joint } from './mechanism.ts';
import type { Seen, Subject } from './proof.ts';

/** Compares a model as MuJoCo compiles it. @throws Unrenderable if MuJoCo refuses it. */
export function withCompiled<T>(
  entry: string,
  files: ReadonlyMap<string, Uint8Array>,
  use: (subject: Subject) => T,
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

/** Values of mjtJoint. */
const TYPES = ['free', 'ball', 'slide', 'hinge'] as const;
/** Values of mjtGeom. */
const [PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH] = [0, 2, 3, 4, 5, 6, 7];
/** The value of mjtEq for joints. */
const JOINT_EQUALITY = 2;
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
    const { body_mass, body_ipos, body_inertia, body_iquat } = this.#model;
    return new Map(
      this.#bodies.flatMap((name, body): [string, Inertial][] => {
        const mass = row(body_mass, body, 1)[0] ?? 0;
        const [x = 0, y = 0, z = 0] = row(body_ipos, body, 3);
        const [xx = 0, yy = 0, zz = 0] = row(body_inertia, body, 3);
        const [w = 1, i = 0, j = 0, k = 0] = row(body_iquat, body, 4);
        const turn = compose([0, 0, 0], [i, j, k, w], [1, 1, 1]);
        return [[name, { mass, center: [x, y, z], inertia: turnedInertia([xx, yy, zz, 0, 0, 0], turn) }]];
      }),
    );
  }

  get joints(): Subject['joints'] {
    const model = this.#model;
    const mimics = this.#mimics();
    return new Map(
      this.#joints.map((name, joint) => {
        const [lower = 0, upper = 0] = row(model.jnt_range, joint, 2);
        const degree = (model.jnt_dofadr as Int32Array)[joint] ?? 0;
        return [
          name,
          {
            limits: lower < upper ? [lower, upper] : undefined,
            damping: row(model.dof_damping, degree, 1)[0] ?? 0,
            friction: row(model.dof_frictionloss, degree, 1)[0] ?? 0,
            mimics: mimics.get(joint),
          },
        ];
      }),
    );
  }

  #mimics(): Map<number, Joint['mimics']> {
    const { neq, eq_type, eq_obj1id, eq_obj2id, eq_data } = this.#model;
    const width = neq === 0 ? 0 : (eq_data as Float64Array).length / neq;
    const mimics = new Map<number, Joint['mimics']>();
    for (let equality = 0; equality < neq; equality++) {
      if ((eq_type as Int32Array)[equality] !== JOINT_EQUALITY) continue;
      const [offset = 0, multiplier = 0] = row(eq_data, equality, width);
      const leader = (eq_obj2id as Int32Array)[equality] ?? 0;
      mimics.set((eq_obj1id as Int32Array)[equality] ?? 0, {
        joint: this.#joints[leader] ?? '',
        multiplier,
        offset,
      });
    }
    return mimics;
  }

  place(configuration: Configuration): Map<string, Matrix4> {
    const { jnt_type, jnt_qposadr, jnt_bodyid } = this.#model;
    const qpos = this.#data.qpos as Float64Array;
    for (const [joint, name] of this.#joints.entries()) {
      const isFree = TYPES[(jnt_type as Int32Array)[joint] ?? 0] === 'free';
      const body = this.#bodies[(jnt_bodyid as Int32Array)[joint] ?? 0] ?? '';
      const value = configuration.get(isFree ? body : name);
      const address = (jnt_qposadr as Int32Array)[joint] ?? 0;
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

  get seen(): Seen {
    this.#mujoco.mj_resetData(this.#model, this.#data);
    this.#mujoco.mj_kinematics(this.#model, this.#data);
    const model = this.#model;
    let [triangles, primitives] = [0, 0];
    const bounds: Bounds[] = [];
    for (let geom = 0; geom < model.ngeom; geom++) {
      if ((model.geom_group as Int32Array)[geom] !== VISUAL_GROUP) continue;
      const mesh = (model.geom_dataid as Int32Array)[geom] ?? -1;
      if ((model.geom_type as Int32Array)[geom] === MESH)
        triangles += (model.mesh_facenum as Int32Array)[mesh] ?? 0;
      else primitives++;
      const frame = frameAt(this.#data.geom_xpos, this.#data.geom_xmat, geom);
      const positions = this.#positions(geom, mesh);
      bounds.push(boundsOf([transformPoints(frame, positions)]));
    }
    return { triangles, primitives, bounds: unionBounds(bounds) };
  }

  #positions(geom: number, mesh: number): Float32Array {
    const model = this.#model;
    const [a = 0, b = 0, c = 0] = row(model.geom_size, geom, 3);
    switch ((model.geom_type as Int32Array)[geom]) {
      case PLANE:
        return new Float32Array();
      case SPHERE:
        return surfaceOf({ type: 'sphere', radius: a }).positions;
      case ELLIPSOID:
        return surfaceOf({ type: 'ellipsoid', radii: [a, b, c] }).positions;
      case CAPSULE:
        return surfaceOf({ type: 'capsule', radius: a, length: 2 * b }).positions;
      case CYLINDER:
        return surfaceOf({ type: 'cylinder', radius: a, length: 2 * b }).positions;
      case BOX:
        return surfaceOf({ type: 'box', size: [2 * a, 2 * b, 2 * c] }).positions;
      default: {
        const start = (model.mesh_vertadr as Int32Array)[mesh] ?? 0;
        const count = (model.mesh_vertnum as Int32Array)[mesh] ?? 0;
        return (model.mesh_vert as Float32Array).slice(start * 3, (start + count) * 3);
      }
    }
  }
}

function frameAt(positions: unknown, rotations: unknown, index: number): Matrix4 {
  const [x = 0, y = 0, z = 0] = row(positions, index, 3);
  return fromRotation(rotations as Float64Array, index * 9, [x, y, z]);
}

function row(values: unknown, index: number, width: number): number[] {
  return Array.from((values as Float64Array).subarray(index * width, (index + 1) * width));
}
