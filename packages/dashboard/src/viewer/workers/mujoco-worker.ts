import {
  compileModel,
  copyModelFiles,
  createLoadContext,
  drawingFrame,
  type Geometry,
  type Instance,
  type LoadContext,
  type Matrix4,
  ModelScene,
  type Omissions,
  startMujoco,
  TooLarge,
  Unrenderable,
  type VisibleGeom,
} from '@bindery/render/models';
import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import type { Body, JointControl } from '../viewer.ts';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, sendEvent, serve } from './serve.ts';

export type MujocoCall =
  | { readonly do: 'open'; readonly asset: AssetOfWorker; readonly module: WebAssembly.Module }
  | { readonly do: 'shapes'; readonly which: 'collision' | 'scenery' }
  | { readonly do: 'joint'; readonly joint: number; readonly value: number }
  | { readonly do: 'pose'; readonly qpos: readonly number[] }
  | { readonly do: 'keyframe'; readonly keyframe: number }
  /** Simulates the given time, or as much of it as there is time for within a frame. */
  | { readonly do: 'advance'; readonly seconds: number }
  /** Simulates one time step. */
  | { readonly do: 'step' }
  | { readonly do: 'contacts'; readonly isOn: boolean };

export interface MujocoAnswers {
  readonly open: MujocoModelInfo;
  readonly shapes: readonly VisibleGeom[];
  readonly joint: undefined;
  readonly pose: undefined;
  readonly keyframe: undefined;
  readonly advance: undefined;
  readonly step: undefined;
  readonly contacts: undefined;
}

export interface MujocoModelInfo {
  readonly geoms: readonly VisibleGeom[];
  /** Indices of the geoms that are the subject; the others surround it. */
  readonly subject: readonly number[];
  readonly deformed: readonly Instance[];
  readonly frame: Matrix4;
  readonly joints: readonly MujocoJoint[];
  /** Each after the one that carries it, with its number in the model. */
  readonly bodies: readonly (Body & { readonly body: number })[];
  /** The positions of everything that moves, as in MuJoCo. */
  readonly qpos: Float32Array;
  readonly keyframes: readonly string[];
  /** Where the place of what floats begins in `qpos`; undefined if nothing does. */
  readonly floating: number | undefined;
  readonly omissions: Omissions | undefined;
  readonly statistics: ViewerStatistics;
}

export interface MujocoJoint extends JointControl {
  /** Its place in `qpos`. */
  readonly address: number;
}

/** The current pose of the model. */
export interface Pose {
  /** x, y, z per geom. */
  readonly positions: Float32Array;
  /** Row-major 3 × 3 per geom. */
  readonly rotations: Float32Array;
  readonly qpos: Float32Array;
  readonly deformed: readonly (Geometry | undefined)[];
  /** x, y, z of the position and x, y, z of the normal, per contact, if they are shown. */
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
  #shown: readonly VisibleGeom[] = [];
  #keyframe = -1;
  #showsContacts = false;

  static async open({ asset, module }: Extract<MujocoCall, { do: 'open' }>): Promise<MujocoSession> {
    const host = { images: browserImages, readMesh: leftToMujoco };
    const context = createLoadContext(filesOf(asset), host, asset.limits);
    const { mujoco } = await startMujoco(module);
    const path = await copyModelFiles(mujoco, asset.entry, context, 'white');
    const model = compileModel(mujoco, path);
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
    this.#scene = new ModelScene(model, this.#data, context);
    this.#joints = this.#readJoints();
  }

  describe(): MujocoModelInfo {
    const deformed = this.#scene.readDeformables();
    this.#shown = this.#scene.visibleGeoms(deformed.length > 0);
    const { subject, front } = this.#scene.subject(this.#shown);
    if (this.#shown.length + deformed.length === 0) throw new Unrenderable('nothing visible to show');
    const instances = [...subject.map(({ instance }) => instance), ...deformed];
    const { nbody, nkey } = this.#model;
    const own = this.#ownBodies(subject);
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
      keyframes: Array.from({ length: nkey }, (_, key) => this.#name('mjOBJ_KEY', key)),
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

  setJoint(joint: number, value: number): void {
    const control = this.#joints[joint];
    if (control === undefined) return;
    (this.#data.qpos as Float64Array)[control.address] = value;
    this.#forward();
    this.#sendPose();
  }

  setPose(qpos: readonly number[]): void {
    (this.#data.qpos as Float64Array).set(qpos.slice(0, this.#model.nq));
    (this.#data.qvel as Float64Array).fill(0);
    this.#forward();
    this.#sendPose();
  }

  setKeyframe(keyframe: number): void {
    this.#reset(keyframe);
    this.#sendPose();
  }

  setContacts(isOn: boolean): void {
    this.#showsContacts = isOn;
    this.#forward();
    this.#sendPose();
  }

  advance(seconds: number): void {
    const { timestep } = this.#model.opt;
    const until = performance.now() + STEPS_MS;
    for (let left = seconds; left > 0 && performance.now() < until; left -= timestep) {
      this.#mujoco.mj_step(this.#model, this.#data);
    }
    this.#sendPose();
  }

  step(): void {
    this.#mujoco.mj_step(this.#model, this.#data);
    this.#sendPose();
  }

  #reset(keyframe: number): void {
    this.#keyframe = keyframe;
    if (keyframe >= 0) this.#mujoco.mj_resetDataKeyframe(this.#model, this.#data, keyframe);
    else this.#mujoco.mj_resetData(this.#model, this.#data);
    this.#forward();
  }

  /** Returns to the last keyframe set, or to the initial pose if none was. */
  reset(): void {
    this.setKeyframe(this.#keyframe);
  }

  #forward(): void {
    if (this.#showsContacts) {
      this.#mujoco.mj_forward(this.#model, this.#data);
      return;
    }
    this.#mujoco.mj_kinematics(this.#model, this.#data);
    if (this.#model.nflex > 0) this.#mujoco.mj_flex(this.#model, this.#data);
  }

  #sendPose(): void {
    const positions = Float32Array.from(this.#data.geom_xpos as ArrayLike<number>);
    const pose: Pose = {
      positions,
      rotations: Float32Array.from(this.#data.geom_xmat as ArrayLike<number>),
      qpos: this.#qpos(),
      deformed: this.#scene.deformables.map(({ surface }) => surface()),
      contacts: this.#showsContacts ? this.#contacts() : undefined,
    };
    sendEvent(pose);
  }

  #contacts(): Float32Array {
    const contacts = this.#data.contact;
    try {
      const places = new Float32Array(contacts.size() * 6);
      for (let index = 0; index < contacts.size(); index++) {
        const contact = contacts.get(index);
        if (contact === undefined) continue;
        places.set((contact.pos as Float64Array).subarray(0, 3), index * 6);
        places.set((contact.frame as Float64Array).subarray(0, 3), index * 6 + 3);
        contact.delete();
      }
      return places;
    } finally {
      contacts.delete();
    }
  }

  #qpos(): Float32Array {
    return Float32Array.from(this.#data.qpos as ArrayLike<number>);
  }

  /** The bodies of what the model is about, without loose things beside it. */
  #ownBodies(subject: readonly VisibleGeom[]): ReadonlySet<number> {
    const roots = Int32Array.from(this.#model.body_rootid as ArrayLike<number>);
    const carriers = Int32Array.from(this.#model.jnt_bodyid as ArrayLike<number>);
    const types = Int32Array.from(this.#model.jnt_type as ArrayLike<number>);
    const moving = carriers.filter((_, joint) => types[joint] === SLIDE || types[joint] === HINGE);
    const bodies = moving.length > 0 ? [...moving] : subject.map(({ body }) => body);
    const own = new Set(bodies.map((body) => roots[body]));
    return new Set([...roots.keys()].filter((body) => own.has(roots[body])));
  }

  #readBodies(masses: ArrayLike<number>): MujocoModelInfo['bodies'] {
    const parents = Int32Array.from(this.#model.body_parentid as ArrayLike<number>);
    const depths: number[] = [];
    for (const [body, parent] of parents.entries()) depths.push(body === 0 ? -1 : (depths[parent] ?? 0) + 1);
    return depths
      .map((depth, body) => ({ body, name: this.#name('mjOBJ_BODY', body), depth, mass: masses[body] ?? 0 }))
      .slice(1);
  }

  #readJoints(): MujocoJoint[] {
    const types = Int32Array.from(this.#model.jnt_type as ArrayLike<number>);
    const addresses = Int32Array.from(this.#model.jnt_qposadr as ArrayLike<number>);
    const ranges = Float64Array.from(this.#model.jnt_range as ArrayLike<number>);
    const qpos = this.#data.qpos as Float64Array;
    return [...types.entries()].flatMap(([joint, type]) => {
      if (type !== SLIDE && type !== HINGE) return [];
      const address = addresses[joint] ?? 0;
      const [lower = 0, upper = 0] = ranges.subarray(joint * 2, joint * 2 + 2);
      const reach = type === HINGE ? Math.PI : 1;
      return {
        name: this.#name('mjOBJ_JOINT', joint),
        unit: type === HINGE ? 'rad' : 'm',
        min: lower < upper ? lower : -reach,
        max: lower < upper ? upper : reach,
        value: qpos[address] ?? 0,
        address,
      };
    });
  }

  /** Returns the name in the model, or the one-based number if it has none. */
  #name(type: 'mjOBJ_JOINT' | 'mjOBJ_KEY' | 'mjOBJ_BODY', index: number): string {
    return this.#mujoco.mj_id2name(this.#model, this.#mujoco.mjtObj[type].value, index) || String(index + 1);
  }
}

let open: MujocoSession | undefined;

serve(async (call: MujocoCall) => {
  switch (call.do) {
    case 'open':
      open = await MujocoSession.open(call);
      return open.describe();
    case 'shapes':
      return open?.shapes(call.which);
    case 'joint':
      return open?.setJoint(call.joint, call.value);
    case 'pose':
      return open?.setPose(call.qpos);
    case 'keyframe':
      return call.keyframe < 0 ? open?.reset() : open?.setKeyframe(call.keyframe);
    case 'advance':
      return open?.advance(call.seconds);
    case 'step':
      return open?.step();
    case 'contacts':
      return open?.setContacts(call.isOn);
  }
});
