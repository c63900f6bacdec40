import type { FormatWriter } from '../format.ts';
import { type Bounds, boundsOf, transformBounds, unionBounds } from '../model/bounds.ts';
import { principalInertia } from '../model/inertia.ts';
import { LossList } from '../model/losses.ts';
import { IDENTITY, inverse, type Matrix4, multiply, unit } from '../model/matrix.ts';
import {
  type Actuator,
  type Body,
  type Inertial,
  type Joint,
  type Mechanism,
  ON_EARTH,
} from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';
import { withVisibleMeshes } from '../model/visible-meshes.ts';
import { hasInertia, LEAST, leastInertial } from '../writing/possible-inertia.ts';
import { usdzArchive } from './write-archive.ts';
import { withDrives } from './write-drives.ts';
import {
  customOf,
  fixedJointPrim,
  jointLosses,
  KEPT_AS_DATA,
  movingJointPrim,
  rootProperties,
  rootSchemas,
} from './write-joints.ts';
import {
  customData,
  displayName,
  number,
  type Prim,
  PrimNames,
  schemas,
  text,
  tuple,
  usdLayer,
} from './write-layer.ts';
import { frameProperties, UsdShapes } from './write-shapes.ts';

export const USD_ENTRY = 'model.usdz';

export const writer: FormatWriter = { entry: USD_ENTRY, adapt: forUsd, write: writeUsd };

/** A mechanism as USD can hold it; what it cannot is among its losses. */
export function forUsd(mechanism: Mechanism): Mechanism {
  const visible = withVisibleMeshes(mechanism);
  const losses = new LossList();
  const driven = withDrives(visible, losses);
  const bodies = driven.bodies.map((body) => {
    if (body.joints.length > 1)
      losses.add('body', body.name, 'it has several joints, between which USD has bodies of a milligram');
    if (body.name === WORLD && body.inertial !== undefined) {
      losses.add('mass', WORLD, 'what stands in the world has none');
      return { ...body, inertial: undefined };
    }
    const isPossible = !isRigid(body) || hasInertia(body.inertial);
    if (isPossible && isTiny(body.inertial)) losses.add('small inertia', body.name, TINY);
    return isPossible ? body : { ...body, inertial: leastInertial(body, losses) };
  });
  if (!bodies.some(isRigid)) losses.add('SimReady', 'RB.001', 'nothing in it moves');
  if (!isRobot(driven) && bodies.some(({ shapes }) => shapes.some(({ role }) => role === 'visual')))
    losses.add('SimReady', 'SL.MAT.001', 'nothing says what its materials consist of');
  const { timestep } = visible.physics;
  if (timestep !== undefined) losses.add('timestep', String(timestep), KEPT_AS_DATA);
  const named = jointLosses(driven);
  return { ...driven, bodies, losses: [...visible.losses, ...losses.all, ...named] };
}

/** In kg·m², what OpenUSD's own calculation of masses takes for no inertia. */
const NO_INERTIA = 1e-5;
const TINY = `it is exact, but OpenUSD takes less than ${NO_INERTIA} kg·m² for none, and that of its colliders instead`;

function isTiny(inertial: Inertial | undefined): boolean {
  return inertial !== undefined && Math.hypot(...principalInertia(inertial.inertia).moments) < NO_INERTIA;
}

/** Whether a body is one of its own for a simulator, and not a part of the world or of what it is fixed to. */
function isRigid({ name, joints, inertial }: Body): boolean {
  return joints.length > 0 || (inertial !== undefined && name !== WORLD);
}

/** Writes a mechanism whose visuals are meshes as a stage with UsdPhysics, in an archive with its pictures. */
export async function writeUsd(mechanism: Mechanism): Promise<ReadonlyMap<string, Uint8Array>> {
  const stage = new UsdStageWriter(mechanism);
  const layer = usdLayer(stage.root(), simReadyMetadata(mechanism, stage.extent));
  const archive = usdzArchive(new Map([['model.usda', layer], ...(await stage.pictures())]));
  return new Map([[USD_ENTRY, archive]]);
}

/** Whether parts of it move against each other. */
function isRobot({ bodies }: Mechanism): boolean {
  return bodies.some(({ joints }) => joints.some(({ type }) => type !== 'free'));
}

/** What SimReady's metadata say of a model by itself (its requirement SR.004). */
function simReadyMetadata(mechanism: Mechanism, extent: Bounds): string[] {
  const { name, bodies } = mechanism;
  const rigid = bodies.filter(isRigid);
  const mass = rigid.reduce((sum, { inertial }) => sum + (inertial?.mass ?? 0), 0);
  const { minX, minY, minZ, maxX, maxY, maxZ } = extent;
  return [
    `string asset_name = ${text(name || 'Model')}`,
    `string asset_type = "${isRobot(mechanism) ? 'robot' : 'prop'}"`,
    `int rigid_body_count = ${rigid.length}`,
    ...(maxX >= minX ? [`float3 asset_extents = ${tuple([maxX - minX, maxY - minY, maxZ - minZ])}`] : []),
    ...(mass > 0 ? [`float mass = ${number(mass)}`] : []),
  ];
}

/** The taxonomy of the label that everything in a stage has: what the model is called. */
const LABELS = 'class';

/** Where a body is in the stage. */
interface Place {
  readonly path: string;
  /** In the frame of the stage. */
  readonly frame: Matrix4;
  /** The rigid body that it is, or is part of; undefined for what stands in the world. */
  readonly carrier: string | undefined;
}

/**
 * Rigid bodies are side by side in a stage, since bodies within bodies move with them. What has neither joints nor
 * mass is part of the body that it is fixed to.
 */
class UsdStageWriter {
  readonly #mechanism: Mechanism;
  readonly #name: string;
  readonly #names = new PrimNames(['Joints', 'Materials', 'Meshes', 'PhysicsMaterials', 'PhysicsScene']);
  readonly #jointed: ReadonlySet<string>;
  readonly #excluded: ReadonlyMap<string, Mechanism['excluded'][number][]>;
  readonly #servos: ReadonlyMap<string, Actuator>;
  readonly #places = new Map<string | undefined, Place>();
  readonly #shapes: UsdShapes;
  readonly #extents: Bounds[] = [];
  readonly #bodies: Prim[] = [];
  readonly #joints: Prim[] = [];
  readonly #jointNames = new PrimNames();
  /** The prims of joints, by the names of these. */
  readonly #jointPrims = new Map<string, { readonly name: string; readonly type: Joint['type'] }>();
  /** Frames that are parts of a rigid body, or of the stage, by their carrier. */
  readonly #parts = new Map<string | undefined, Prim[]>();

  constructor(mechanism: Mechanism) {
    this.#mechanism = mechanism;
    this.#jointed = jointedBodies(mechanism);
    this.#servos = new Map(mechanism.actuators.map((servo) => [servo.joint, servo]));
    const rigid = new Set(mechanism.bodies.filter(isRigid).map(({ name }) => name));
    // A pair is the same from both sides; it is with a body that moves.
    const pairs = mechanism.excluded.map(([one, other]): readonly [string, string] =>
      rigid.has(one) ? [one, other] : [other, one],
    );
    this.#excluded = Map.groupBy(pairs, ([body]) => body);
    this.#name = new PrimNames().name(mechanism.name || 'Model');
    this.#places.set(undefined, { path: `/${this.#name}`, frame: IDENTITY, carrier: undefined });
    this.#shapes = new UsdShapes(`/${this.#name}`);
  }

  root(): Prim {
    for (const body of this.#mechanism.bodies) this.#place(body);
    for (const { name, type } of this.#mechanism.bodies.flatMap(({ joints }) => joints))
      if (type !== 'free') this.#jointPrims.set(name, { name: this.#jointNames.name(name), type });
    // Children come first, so that parts are complete when their carrier is written.
    for (const body of this.#mechanism.bodies.toReversed()) this.#add(body);
    for (const body of this.#mechanism.bodies) this.#connect(body);
    const scope = (name: string, children: Prim[], specifier?: 'class'): Prim | undefined =>
      children.length === 0 ? undefined : { type: 'Scope', name, children, ...(specifier && { specifier }) };
    return {
      type: 'Xform',
      name: this.#name,
      metadata: [
        schemas(`SemanticsLabelsAPI:${LABELS}`),
        'kind = "component"',
        displayName(this.#name, this.#mechanism.name || this.#name),
      ],
      properties: [`token[] semantics:labels:${LABELS} = [${text(this.#mechanism.name || this.#name)}]`],
      children: [
        scenePrim(this.#mechanism.physics),
        ...this.#bodies.toReversed(),
        ...(this.#parts.get(undefined) ?? []).toReversed(),
        scope('Joints', this.#joints),
        scope('Materials', this.#shapes.materials.prims),
        scope('PhysicsMaterials', this.#shapes.frictions),
        scope('Meshes', this.#shapes.meshes, 'class'),
      ],
    };
  }

  /** Of what is seen, in metres, as the model rests. */
  get extent(): Bounds {
    return unionBounds(this.#extents);
  }

  pictures(): Promise<[string, Uint8Array][]> {
    return this.#shapes.materials.files();
  }

  #placeOf(name: string | undefined): Place {
    return this.#places.get(name) ?? (this.#places.get(undefined) as Place);
  }

  #place(body: Body): void {
    const { name, parent, pose } = body;
    const above = this.#placeOf(parent);
    const isOwn = isRigid(body);
    const holder = isOwn ? this.#placeOf(undefined) : this.#placeOf(above.carrier);
    this.#places.set(name, {
      path: `${holder.path}/${this.#names.name(name)}`,
      frame: multiply(above.frame, pose),
      carrier: isOwn ? name : above.carrier,
    });
  }

  #add(body: Body): void {
    const { name, inertial, joints } = body;
    const { path, frame, carrier } = this.#placeOf(name);
    const isOwn = carrier === name;
    const excluded = (this.#excluded.get(name) ?? []).map(([, other]) => `<${this.#placeOf(other).path}>`);
    const parts = isOwn ? (this.#parts.get(name) ?? []).toReversed() : [];
    const shapes = this.#shapes.of(body, new PrimNames(parts.map((part) => part.name)));
    for (const { role, form, pose } of body.shapes)
      if (role === 'visual' && form.type === 'mesh')
        for (const { geometry } of form.parts)
          this.#extents.push(transformBounds(boundsOf([geometry.positions]), multiply(frame, pose)));
    const own = path.slice(path.lastIndexOf('/') + 1);
    const local = isOwn ? frame : multiply(inverse(this.#placeOf(carrier).frame), frame);
    const free = joints.find(({ type }) => type === 'free');
    const floats = free !== undefined && this.#jointed.has(name);
    const prim: Prim = {
      type: 'Xform',
      name: own,
      metadata: [
        schemas(
          isOwn && 'PhysicsRigidBodyAPI',
          isOwn && 'PhysicsMassAPI',
          ...rootSchemas(floats),
          excluded.length > 0 && 'PhysicsFilteredPairsAPI',
        ),
        'kind = "subcomponent"',
        displayName(own, name),
        free && customData(customOf(free)),
      ],
      properties: [
        ...rootProperties(floats),
        ...frameProperties(local),
        ...(isOwn && inertial !== undefined ? massProperties(inertial) : []),
        excluded.length > 0 ? `rel physics:filteredPairs = [${excluded.join(', ')}]` : undefined,
      ],
      children: [...shapes, ...parts],
    };
    if (isOwn) this.#bodies.push(prim);
    else {
      const beside = this.#parts.get(carrier) ?? [];
      this.#parts.set(carrier, beside);
      beside.push(prim);
    }
  }

  /** Adds the joints of a body, and bodies between them if it has several. */
  #connect(body: Body): void {
    const { name, parent } = body;
    const { path, frame, carrier } = this.#placeOf(name);
    if (carrier !== name) return;
    const joints = body.joints.filter(({ type }) => type !== 'free');
    if (joints.length === 0 && body.joints.length > 0) return;
    const above = this.#placeOf(this.#placeOf(parent).carrier);
    const begins = above.carrier === undefined && this.#jointed.has(name);
    const pose = multiply(inverse(above.frame), frame);
    if (joints.length === 0) {
      const fixed = { name: this.#jointNames.name(`${name}_fixed`), first: above.path, second: path };
      this.#joints.push(fixedJointPrim({ ...fixed, pose, isRoot: begins }));
    }
    let first = above.path;
    for (const [at, joint] of joints.entries()) {
      const second = at === joints.length - 1 ? path : this.#between(joint.name, frame);
      const leader = this.#jointPrims.get(joint.mimics?.joint ?? '');
      const place = {
        name: this.#jointPrims.get(joint.name)?.name ?? joint.name,
        leader: leader?.type === joint.type ? `/${this.#name}/Joints/${leader.name}` : undefined,
        first,
        second,
        pose: at === 0 ? pose : IDENTITY,
        isRoot: begins && at === 0,
      };
      this.#joints.push(movingJointPrim(joint, place, this.#servos.get(joint.name)));
      first = second;
    }
  }

  /** Adds a body between two joints of one body. */
  #between(joint: string, frame: Matrix4): string {
    const name = this.#names.name(`${joint}_body`);
    this.#bodies.unshift({
      type: 'Xform',
      name,
      metadata: [schemas('PhysicsRigidBodyAPI', 'PhysicsMassAPI')],
      properties: [...frameProperties(frame), ...massProperties(LEAST)],
    });
    return `/${this.#name}/${name}`;
  }
}

/** A scene for a world that is not as simulators assume it. */
function scenePrim({ gravity, timestep }: Mechanism['physics']): Prim | undefined {
  const isUsual = timestep === undefined && ON_EARTH.gravity.every((part, at) => part === gravity[at]);
  if (isUsual) return undefined;
  const magnitude = Math.hypot(...gravity);
  return {
    type: 'PhysicsScene',
    name: 'PhysicsScene',
    metadata: [customData(timestep === undefined ? [] : [`double timestep = ${number(timestep)}`])],
    properties: [
      `vector3f physics:gravityDirection = ${tuple(magnitude === 0 ? [0, 0, -1] : unit(gravity))}`,
      `float physics:gravityMagnitude = ${number(magnitude)}`,
    ],
  };
}

/** The bodies that carry a joint which is not free: their own, or that of a body that they carry. */
function jointedBodies({ bodies }: Mechanism): Set<string> {
  const jointed = new Set<string>();
  for (const { name, parent, joints } of bodies.toReversed()) {
    if (joints.some(({ type }) => type !== 'free')) jointed.add(name);
    if (jointed.has(name) && parent !== undefined) jointed.add(parent);
  }
  return jointed;
}

function massProperties({ mass, center, inertia }: Inertial): (string | undefined)[] {
  const { moments, turn } = principalInertia(inertia);
  const [x, y, z, w] = turn;
  return [
    `float physics:mass = ${number(mass)}`,
    `point3f physics:centerOfMass = ${tuple(center)}`,
    `float3 physics:diagonalInertia = ${tuple(moments)}`,
    `quatf physics:principalAxes = ${tuple([w, x, y, z])}`,
  ];
}
