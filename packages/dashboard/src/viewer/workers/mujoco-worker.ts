import {
  compileShown,
  createLoadContext,
  drawingFrame,
  type Geometry,
  type Instance,
  type LoadContext,
  type Matrix4,
  ModelScene,
  namesOf,
  type Omissions,
  startMujoco,
  TooLarge,
  Unrenderable,
  type Vector3,
  type VisibleGeom,
} from '@bindery/render/models';
import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import type { Body } from '../viewer.ts';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { Hand, type MujocoJoint } from './mujoco-hand.ts';
import { filesOf, serve } from './serve.ts';

export type MujocoCall =
  | { readonly do: 'open'; readonly asset: AssetOfWorker; readonly module: WebAssembly.Module }
  | { readonly do: 'shapes'; readonly which: 'collision' | 'scenery' }
  | { readonly do: 'joint'; readonly joint: number; readonly value: number }
  | { readonly do: 'pose'; readonly qpos: readonly number[] }
  /** Without one, the last one that was set, or the initial pose if none was. */
  | { readonly do: 'keyframe'; readonly keyframe?: number }
  /** Simulates the given time, or as much of it as there is time for within a frame, and pulls what is held. */
  | { readonly do: 'advance'; readonly seconds: number; readonly to: Vector3 | undefined }
  /** Simulates one time step. */
  | { readonly do: 'step' }
  /** Takes hold of a point in the frame of a geom. */
  | { readonly do: 'hold'; readonly geom: number; readonly at: Vector3 }
  /** Poses the joints that carry what is held. */
  | { readonly do: 'reach'; readonly to: Vector3 }
  | { readonly do: 'push'; readonly body: number; readonly velocity: Vector3 }
  | { readonly do: 'gravity'; readonly gravity: Vector3 }
  | { readonly do: 'contacts'; readonly isOn: boolean };

/** What changes a model that is open. */
export type MujocoChange = Exclude<MujocoCall, { do: 'open' | 'shapes' }>;

export type MujocoAnswers = Readonly<
  Record<MujocoChange['do'], Pose | undefined> & {
    open: MujocoModelInfo;
    shapes: readonly VisibleGeom[];
  }
>;

export interface MujocoModelInfo {
  readonly geoms: readonly VisibleGeom[];
  /** Indices of the geoms that are the subject; the others surround it. */
  readonly subject: readonly number[];
  readonly deformed: readonly Instance[];
  readonly frame: Matrix4;
  readonly joints: readonly MujocoJoint[];
  /** Each after the one that carries it, with its number in the model. */
  readonly bodies: readonly (Body & { readonly body: number; readonly isFixed: boolean })[];
  /** The positions of everything that moves, as in MuJoCo. */
  readonly qpos: Float32Array;
  readonly keyframes: readonly string[];
  /** Where the place of what floats begins in `qpos`; undefined if nothing does. */
  readonly floating: number | undefined;
  /** In m/s². */
  readonly gravity: Vector3;
  readonly omissions: Omissions | undefined;
  readonly statistics: ViewerStatistics;
}

/** The current pose of the model. */
export interface Pose {
  /** x, y, z per geom. */
  readonly positions: Float32Array;
  /** Row-major 3 × 3 per geom. */
  readonly rotations: Float32Array;
  readonly qpos: Float32Array;
  readonly deformed: readonly (Geometry | undefined)[];
  /** x, y, z of the place and of the force, per contact, if they are shown; see `Hand.contacts`. */
  readonly contacts: Float32Array | undefined;
}

/** Values of mjtJoint. */
const FREE = 0;
const SLIDE = 2;
const HINGE = 3;
/** MuJoCo reads the meshes of its models itself. */
const leftToMujoco = () => Promise.reject(new Unrenderable('MuJoCo reads its meshes'));

/** How many milliseconds of a frame simulation steps may use; slower models run in slow motion. */
const STEPS_MS = 12;

class MujocoSession {
  readonly #mujoco: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #scene: ModelScene;
  readonly #omissions: LoadContext['omissions'];
  readonly #joints: readonly MujocoJoint[];
  readonly #hand: Hand;
  #shown: readonly VisibleGeom[] = [];
  #keyframe = -1;
  #showsContacts = false;

  static async open({ asset, module }: Extract<MujocoCall, { do: 'open' }>): Promise<MujocoSession> {
    const host = { images: browserImages, readMesh: leftToMujoco };
    const context = createLoadContext(filesOf(asset), host, asset.limits);
    const { mujoco } = await startMujoco(module);
    const model = await compileShown(mujoco, asset.entry, context);
    if (model.ngeom > asset.limits.geoms)
      throw new TooLarge(`too large: more than ${asset.limits.geoms} geoms`);
    return new MujocoSession(mujoco, model, context);
  }

  private constructor(mujoco: MainModule, model: MjModel, context: LoadContext) {
    this.#mujoco = mujoco;
    this.#model = model;
    this.#omissions = context.omissions;
    this.#data = new mujoco.MjData(model);
    this.#reset(model.nkey > 0 ? 0 : -1);
    this.#forward();
    this.#scene = new ModelScene(model, this.#data, context);
    this.#joints = this.#readJoints();
    this.#hand = new Hand(mujoco, model, this.#data, this.#joints);
  }

  describe(): MujocoModelInfo {
    const deformed = this.#scene.readDeformables();
    this.#shown = this.#scene.visibleGeoms(deformed.length > 0);
    const { subject, front, own } = this.#scene.subject(this.#shown);
    if (this.#shown.length + deformed.length === 0) throw new Unrenderable('nothing visible to show');
    const instances = [...subject.map(({ instance }) => instance), ...deformed];
    const { nbody } = this.#model;
    const carriers = Int32Array.from(this.#model.jnt_bodyid as ArrayLike<number>);
    const types = Int32Array.from(this.#model.jnt_type as ArrayLike<number>);
    const floating = carriers.findIndex((body, joint) => types[joint] === FREE && own.has(body));
    const masses = Float64Array.from(this.#model.body_mass as ArrayLike<number>);
    return {
      geoms: this.#shown,
      subject: this.#shown.filter((one) => subject.includes(one)).map(({ geom }) => geom),
      deformed,
      frame: drawingFrame({ up: 'z', front, instances, points: [] }),
      joints: this.#joints,
      bodies: this.#readBodies(masses),
      qpos: this.#qpos(),
      floating: floating < 0 ? undefined : (this.#model.jnt_qposadr as ArrayLike<number>)[floating],
      gravity: [...(this.#model.opt.gravity as Float64Array)] as unknown as Vector3,
      keyframes: namesOf(this.#model, 'keyframe'),
      omissions: this.#omissions.summary(),
      statistics: {
        bodies: nbody - 1,
        joints: this.#joints.length,
        degreesOfFreedom: this.#model.nv,
        mass: masses.reduce((sum, mass, body) => (own.has(body) ? sum + mass : sum), 0),
        isFloating: floating >= 0,
        unit: 'm',
        up: 'z',
      },
    };
  }

  /** Returns geoms that are not shown initially. */
  shapes(which: 'collision' | 'scenery'): readonly VisibleGeom[] {
    const { geoms } = this.#scene;
    const shown = new Set(this.#shown.map(({ geom }) => geom));
    const wanted = geoms.all.filter((geom) =>
      which === 'scenery' ? geoms.isBackdrop(geom) : !geoms.isBackdrop(geom) && geoms.collides(geom),
    );
    return this.#scene.placeGeoms(which === 'scenery' ? wanted.filter((geom) => !shown.has(geom)) : wanted);
  }

  /** Changes the pose, or what acts on it, and returns the pose; undefined if that stays the same. */
  change(call: MujocoChange): Pose | undefined {
    const qpos = this.#data.qpos as Float64Array;
    switch (call.do) {
      case 'joint':
        qpos[this.#joints[call.joint]?.address ?? qpos.length] = call.value;
        break;
      case 'pose':
        qpos.set(call.qpos.slice(0, this.#model.nq));
        (this.#data.qvel as Float64Array).fill(0);
        break;
      case 'keyframe':
        this.#reset(call.keyframe ?? this.#keyframe);
        break;
      case 'advance':
        this.#advance(call.seconds, call.to);
        break;
      case 'step':
        this.#mujoco.mj_step(this.#model, this.#data);
        break;
      case 'contacts':
        this.#showsContacts = call.isOn;
        break;
      case 'gravity':
        (this.#model.opt.gravity as Float64Array).set(call.gravity);
        break;
      case 'hold':
        this.#hand.hold(call.geom, call.at);
        return undefined;
      case 'push':
        this.#hand.push(call.body, call.velocity);
        return undefined;
      case 'reach':
        this.#hand.reach(call.to);
    }
    this.#forward();
    this.#hand.release();
    return this.#pose();
  }

  #advance(seconds: number, to: Vector3 | undefined): void {
    const { timestep } = this.#model.opt;
    const until = performance.now() + STEPS_MS;
    for (let left = seconds; left > 0 && performance.now() < until; left -= timestep) {
      if (to !== undefined) this.#hand.pull(to);
      this.#mujoco.mj_step(this.#model, this.#data);
    }
  }

  #reset(keyframe: number): void {
    this.#keyframe = keyframe;
    if (keyframe >= 0) this.#mujoco.mj_resetDataKeyframe(this.#model, this.#data, keyframe);
    else this.#mujoco.mj_resetData(this.#model, this.#data);
  }

  #forward(): void {
    if (this.#showsContacts) {
      this.#mujoco.mj_forward(this.#model, this.#data);
      return;
    }
    this.#mujoco.mj_kinematics(this.#model, this.#data);
    if (this.#model.nflex > 0) this.#mujoco.mj_flex(this.#model, this.#data);
  }

  #pose(): Pose {
    return {
      positions: Float32Array.from(this.#data.geom_xpos as ArrayLike<number>),
      rotations: Float32Array.from(this.#data.geom_xmat as ArrayLike<number>),
      qpos: this.#qpos(),
      deformed: this.#scene.deformables.map(({ surface }) => surface()),
      contacts: this.#showsContacts ? this.#hand.contacts() : undefined,
    };
  }

  #qpos(): Float32Array {
    return Float32Array.from(this.#data.qpos as ArrayLike<number>);
  }

  #readBodies(masses: ArrayLike<number>): MujocoModelInfo['bodies'] {
    const parents = Int32Array.from(this.#model.body_parentid as ArrayLike<number>);
    const names = namesOf(this.#model, 'body');
    const held = Int32Array.from(this.#model.body_weldid as ArrayLike<number>);
    const depths: number[] = [];
    for (const [body, parent] of parents.entries()) depths.push(body === 0 ? -1 : (depths[parent] ?? 0) + 1);
    return depths
      .map((depth, body) => ({
        body,
        name: names[body] ?? '',
        depth,
        mass: masses[body] ?? 0,
        isFixed: held[body] === 0,
      }))
      .slice(1);
  }

  #readJoints(): MujocoJoint[] {
    const types = Int32Array.from(this.#model.jnt_type as ArrayLike<number>);
    const addresses = Int32Array.from(this.#model.jnt_qposadr as ArrayLike<number>);
    const ranges = Float64Array.from(this.#model.jnt_range as ArrayLike<number>);
    const qpos = this.#data.qpos as Float64Array;
    const names = namesOf(this.#model, 'joint');
    return [...types.entries()].flatMap(([joint, type]) => {
      if (type !== SLIDE && type !== HINGE) return [];
      const address = addresses[joint] ?? 0;
      const [lower = 0, upper = 0] = ranges.subarray(joint * 2, joint * 2 + 2);
      const reach = type === HINGE ? Math.PI : 1;
      return {
        name: names[joint] ?? '',
        unit: type === HINGE ? 'rad' : 'm',
        min: lower < upper ? lower : -reach,
        max: lower < upper ? upper : reach,
        value: qpos[address] ?? 0,
        joint,
        address,
      };
    });
  }
}

let open: MujocoSession | undefined;

serve(async (call: MujocoCall) => {
  if (call.do === 'shapes') return open?.shapes(call.which);
  if (call.do !== 'open') return open?.change(call);
  open = await MujocoSession.open(call);
  return open.describe();
});
