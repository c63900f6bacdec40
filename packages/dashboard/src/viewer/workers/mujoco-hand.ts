import {
  dot,
  fromRotation,
  inverse,
  rotated,
  subtract,
  transformPoint,
  type Vector3,
} from '@bindery/render/models';
import type { DoubleBuffer, MainModule, MjContact, MjData, MjModel, MjvPerturb } from '@mujoco/mujoco';
import { MAX_CONTACTS } from '../limits.ts';
import { type Lever, reach } from '../scene/reach.ts';
import type { JointControl } from '../viewer.ts';

/** A joint that can be moved, with its number in the model and its place in `qpos`. */
export interface MujocoJoint extends JointControl {
  readonly joint: number;
  readonly address: number;
}

/** Values of mjtJoint and mjtPertBit. */
const FREE = 0;
const SLIDE = 2;
const TRANSLATE = 1;

/** Acts on a model from outside, and tells the forces within it. */
export class Hand {
  readonly #mujoco: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #joints: readonly MujocoJoint[];
  readonly #perturb: MjvPerturb;
  readonly #force: DoubleBuffer;
  #geom = 0;
  #at: Vector3 = [0, 0, 0];

  constructor(mujoco: MainModule, model: MjModel, data: MjData, joints: readonly MujocoJoint[]) {
    this.#mujoco = mujoco;
    this.#model = model;
    this.#data = data;
    this.#joints = joints;
    this.#perturb = new mujoco.MjvPerturb();
    this.#force = new mujoco.DoubleBuffer(6);
  }

  /** Takes hold of a point in the frame of a geom. */
  hold(geom: number, at: Vector3): void {
    const [mujoco, model, data, perturb] = [this.#mujoco, this.#model, this.#data, this.#perturb];
    [this.#geom, this.#at] = [geom, at];
    mujoco.mj_forward(model, data);
    const body = this.#body();
    const frame = fromRotation(data.xmat as Float64Array, body * 9, vectorAt(data.xpos, body));
    perturb.select = body;
    perturb.active = TRANSLATE;
    (perturb.localpos as Float64Array).set(transformPoint(inverse(frame), this.#point()));
    // Weighs what is held. It asks for a camera, which only matters to what is not used here.
    const [scene, camera] = [new mujoco.MjvScene(), new mujoco.MjvCamera()];
    mujoco.mjv_defaultFreeCamera(model, camera);
    mujoco.mjv_updateCamera(model, data, camera, scene);
    mujoco.mjv_initPerturb(model, data, scene, perturb);
    scene.delete();
    camera.delete();
  }

  /** Pulls what is held towards a place in the next step, like MuJoCo's own viewer: by a critically damped spring. */
  pull(to: Vector3): void {
    (this.#perturb.refselpos as Float64Array).set(to);
    this.#mujoco.mjv_applyPerturbForce(this.#model, this.#data, this.#perturb);
  }

  release(): void {
    (this.#data.xfrc_applied as Float64Array).fill(0);
  }

  /** Adds to the velocity of a body, in m/s, by a shove at its centre of mass. */
  push(body: number, velocity: Vector3): void {
    const [mujoco, model, data] = [this.#mujoco, this.#model, this.#data];
    mujoco.mj_forward(model, data);
    const [force, moved] = [new mujoco.DoubleBuffer(model.nv), new mujoco.DoubleBuffer(model.nv)];
    mujoco.mj_applyFT(model, data, [...velocity], [0, 0, 0], [...vectorAt(data.xipos, body)], body, force);
    const forces = [...(force.GetView() as Float64Array)];
    mujoco.mj_solveM(model, data, moved, forces);
    const moves = moved.GetView() as Float64Array;
    const gained = forces.reduce((sum, value, dof) => sum + value * (moves[dof] ?? 0), 0);
    const speeds = data.qvel as Float64Array;
    for (const [dof, move] of moves.entries())
      if (gained > 0) speeds[dof] = (speeds[dof] ?? 0) + (move * dot(velocity, velocity)) / gained;
    force.delete();
    moved.delete();
  }

  /** Brings what is held nearer to a place by the joints that carry it, or as a whole if it floats and has none. */
  reach(to: Vector3): void {
    const [mujoco, model, data, joints] = [this.#mujoco, this.#model, this.#data, this.#joints];
    const parents = model.body_parentid as Int32Array;
    const carriers = new Set<number>();
    for (let body = this.#body(); body > 0; body = parents[body] ?? 0) carriers.add(body);
    const bodies = Int32Array.from(model.jnt_bodyid as ArrayLike<number>);
    const types = Int32Array.from(model.jnt_type as ArrayLike<number>);
    const moving = [...joints.entries()].filter(([, { joint }]) => carriers.has(bodies[joint] ?? 0));
    const addressOf = (joint: number) => joints[joint]?.address ?? 0;
    const values = data.qpos as Float64Array;
    const point = () => {
      mujoco.mj_kinematics(model, data);
      return this.#point();
    };
    (data.qvel as Float64Array).fill(0);
    if (moving.length > 0) {
      const levers = () =>
        moving.map(
          ([index, { joint }]): Lever => ({
            joint: index,
            factor: 1,
            type: types[joint] === SLIDE ? 'slide' : 'hinge',
            axis: vectorAt(data.xaxis, joint),
            anchor: vectorAt(data.xanchor, joint),
          }),
        );
      const value = (joint: number) => values[addressOf(joint)] ?? 0;
      const set = (joint: number, value: number) => {
        values[addressOf(joint)] = value;
      };
      reach({ point, levers, value, set }, joints, to);
      return;
    }
    const floating = types.findIndex((type, joint) => type === FREE && carriers.has(bodies[joint] ?? 0));
    const address = (model.jnt_qposadr as Int32Array)[floating];
    if (address === undefined) return;
    for (const [axis, missing] of subtract(to, point()).entries())
      values[address + axis] = (values[address + axis] ?? 0) + missing;
  }

  /** x, y, z of the place and of the force of each contact; the forces as long as MuJoCo's viewer draws them, in metres. */
  contacts(): Float32Array {
    const contacts = this.#data.contact;
    const told = new Float32Array(Math.min(contacts.size(), MAX_CONTACTS) * 6);
    for (let index = 0; index * 6 < told.length; index++) {
      const contact = contacts.get(index);
      if (contact === undefined) continue;
      told.set(contact.pos as Float64Array, index * 6);
      told.set(this.#forceIn(contact, index), index * 6 + 3);
      contact.delete();
    }
    contacts.delete();
    return told;
  }

  /** On the body that comes later in the model: not on the ground. */
  #forceIn({ frame, geom }: MjContact, index: number): Vector3 {
    this.#mujoco.mj_contactForce(this.#model, this.#data, index, this.#force);
    const bodies = this.#model.geom_bodyid as Int32Array;
    const [first = 0, second = 0] = Array.from(geom as Int32Array, (one) => bodies[one] ?? 0);
    const scale = this.#model.vis.map.force / this.#model.stat.meanmass;
    // The rows of its frame are the axes of a contact.
    const axes = inverse(fromRotation(frame as Float64Array, 0, [0, 0, 0]));
    const [x, y, z] = rotated(axes, vectorAt(this.#force.GetView(), 0));
    const by = second < first ? -scale : scale;
    return [x * by, y * by, z * by];
  }

  #body(): number {
    return (this.#model.geom_bodyid as Int32Array)[this.#geom] ?? 0;
  }

  #point(): Vector3 {
    const { geom_xmat, geom_xpos } = this.#data;
    const frame = fromRotation(geom_xmat as Float64Array, this.#geom * 9, vectorAt(geom_xpos, this.#geom));
    return transformPoint(frame, this.#at);
  }
}

function vectorAt(values: ArrayLike<number>, index: number): Vector3 {
  return [values[index * 3] ?? 0, values[index * 3 + 1] ?? 0, values[index * 3 + 2] ?? 0];
}
