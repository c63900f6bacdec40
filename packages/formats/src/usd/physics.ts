import {
  compose,
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  scaling,
  turnOf,
  type Vector3,
  Y_UP_TO_Z_UP,
} from '../model/matrix.ts';
import { motionOf, type RobotJoint } from './robot-joint.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { quaternionOf, worldTransform } from './transforms.ts';
import { numberOf, numbersOf, textOf, vectorOf, withAncestors } from './values.ts';

/** The bodies and joints of a stage, Z up, in metres. */
export interface Mechanism {
  readonly links: readonly string[];
  /** The prim of each link, by its name. */
  readonly prims: ReadonlyMap<string, UsdPrim>;
  /** The frame of each link, by its name. */
  readonly frames: ReadonlyMap<string, Matrix4>;
  readonly joints: readonly RobotJoint[];
  /** The prim of each joint, by its name; of joints that close loops too. */
  readonly jointPrims: ReadonlyMap<string, UsdPrim>;
  /** In kilograms. */
  readonly mass: number;
  /** The link that carries a prim, by the path of the prim. */
  linkOf(path: string): string;
}

/** What bodies are attached to that are attached to no other body. */
export const WORLD = 'world';
const AXES: Readonly<Record<string, Vector3>> = { X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1] };
const DEGREE = Math.PI / 180;

/** Reads bodies and joints of UsdPhysics; undefined for a stage in which no joint connects bodies. */
export function mechanismOf(stage: UsdStage): Mechanism | undefined {
  const mechanism = bodiesAndJoints(stage);
  return mechanism.joints.length === 0 ? undefined : mechanism;
}

/** Reads bodies and joints of UsdPhysics, of which a stage may have none. */
export function bodiesAndJoints(stage: UsdStage): Mechanism {
  const prims = [...everyPrim(stage.roots)];
  const written = prims.flatMap((prim) => jointOf(prim, stage) ?? []);
  const bodies = prims.filter(isBody);
  const names = namesOf(bodies);
  const toMetres = stageFrame(stage);
  const framed = new Map(bodies.map((body) => [body.path, multiply(toMetres, worldTransform(body))]));
  const frames = new Map(
    bodies.map(({ path }) => [names.get(path) as string, rigid(framed.get(path) as Matrix4)]),
  );
  const carrierOf = (prim: UsdPrim | undefined) => {
    for (const one of prim === undefined ? [] : withAncestors(prim)) if (names.has(one.path)) return one.path;
    return undefined;
  };
  const sideOf = ({ prim, matrix }: JointSide): Side => ({
    link: names.get(carrierOf(prim) ?? '') ?? WORLD,
    frame: rigid(multiply(prim === undefined ? toMetres : multiply(toMetres, worldTransform(prim)), matrix)),
  });
  const edges = written.map((joint) => ({
    ...joint,
    sides: [sideOf(joint.first), sideOf(joint.second)] as const,
  }));
  const joints = tree(edges, [...names.values()], frames);
  const masses = bodies.map((body) => numberOf(body.value('physics:mass')) ?? 0);
  return {
    links: [...names.values()],
    prims: new Map(bodies.map((body) => [names.get(body.path) as string, body])),
    frames,
    joints,
    jointPrims: new Map(written.map(({ name, prim }) => [name, prim])),
    mass: masses.reduce((sum, mass) => sum + Math.max(0, mass), 0) * stage.kilogramsPerUnit,
    linkOf: (path) => names.get(carrierOf(stage.at(path)) ?? '') ?? WORLD,
  };
}

/** From the frame of a stage to one with Z up, in metres. */
export function stageFrame({ up, metersPerUnit }: UsdStage): Matrix4 {
  const scale = scaling(metersPerUnit, metersPerUnit, metersPerUnit);
  return up === 'y' ? multiply(Y_UP_TO_Z_UP, scale) : scale;
}

function* everyPrim(prims: readonly UsdPrim[]): Generator<UsdPrim> {
  for (const prim of prims) {
    yield prim;
    yield* everyPrim(prim.children);
  }
}

function isBody(prim: UsdPrim): boolean {
  return prim.schemas.includes('PhysicsRigidBodyAPI') && prim.value('physics:rigidBodyEnabled') !== false;
}

/** The names of bodies, by their paths; whole paths where names are not unique. */
function namesOf(bodies: readonly UsdPrim[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const body of bodies) counts.set(shownName(body), (counts.get(shownName(body)) ?? 0) + 1);
  return new Map(
    bodies.map((body) => {
      const name = shownName(body);
      return [body.path, name !== WORLD && counts.get(name) === 1 ? name : body.path];
    }),
  );
}

/** What people see a prim called: its name, which is short of characters, or another. */
export function shownName(prim: UsdPrim): string {
  return textOf(prim.metadata('displayName')) || prim.name;
}

/** A frame on a body, or on the world, in which a joint is described. */
interface JointSide {
  readonly prim: UsdPrim | undefined;
  readonly matrix: Matrix4;
}

interface WrittenJoint {
  readonly name: string;
  readonly prim: UsdPrim;
  readonly type: RobotJoint['type'];
  readonly axis: Vector3;
  readonly limits: readonly [number, number] | undefined;
  readonly first: JointSide;
  readonly second: JointSide;
  /** It closes a loop. */
  readonly isExtra: boolean;
}

function jointOf(prim: UsdPrim, stage: UsdStage): WrittenJoint | undefined {
  const motion = writtenMotion(prim, stage.metersPerUnit);
  if (motion === undefined || prim.value('physics:jointEnabled') === false) return undefined;
  const side = (number: 0 | 1): JointSide => {
    const [target] = prim.targets(`physics:body${number}`);
    const place = vectorOf(prim.value(`physics:localPos${number}`)) ?? [0, 0, 0];
    const turn = quaternionOf(numbersOf(prim.value(`physics:localRot${number}`)) ?? [], 0);
    return {
      prim: target === undefined ? undefined : stage.at(target),
      matrix: compose(place, turn, [1, 1, 1]),
    };
  };
  const [first, second] = [side(0), side(1)];
  if (first.prim === undefined && second.prim === undefined) return undefined;
  return {
    name: shownName(prim),
    prim,
    ...motion,
    first,
    second,
    isExtra: prim.value('physics:excludeFromArticulation') === true,
  };
}

type Motion = Pick<WrittenJoint, 'type' | 'axis' | 'limits'>;

function writtenMotion(prim: UsdPrim, metersPerUnit: number): Motion | undefined {
  const axis = AXES[textOf(prim.value('physics:axis')) ?? 'X'] ?? [1, 0, 0];
  const number = (name: string) => numberOf(prim.value(`physics:${name}`));
  const limits = (unit: number) => rangeOf(number('lowerLimit'), number('upperLimit'), unit);
  switch (prim.typeName) {
    case 'PhysicsRevoluteJoint':
      return { type: 'hinge', axis, limits: limits(DEGREE) };
    case 'PhysicsPrismaticJoint':
      return { type: 'slide', axis, limits: limits(metersPerUnit) };
    case 'PhysicsFixedJoint':
      return { type: 'fixed', axis, limits: undefined };
    case 'PhysicsSphericalJoint':
    case 'PhysicsDistanceJoint':
      return { type: 'other', axis, limits: undefined };
    case 'PhysicsJoint':
      return freeMotion(prim, metersPerUnit);
    default:
      return undefined;
  }
}

function rangeOf(
  low: number | undefined,
  high: number | undefined,
  unit: number,
): [number, number] | undefined {
  return low === undefined || high === undefined || !(low < high) ? undefined : [low * unit, high * unit];
}

/** A joint that can do everything except what it locks; one that can do one thing is a hinge or a slide. */
function freeMotion(prim: UsdPrim, metersPerUnit: number): Motion {
  const ends = (name: string) =>
    ['low', 'high'].map((end) => numberOf(prim.value(`limit:${name}:physics:${end}`)));
  const isFree = (name: string) => {
    const [low, high] = ends(name);
    return low === undefined || high === undefined || low <= high;
  };
  const free = ['rotX', 'rotY', 'rotZ', 'transX', 'transY', 'transZ'].filter(isFree);
  const [only] = free;
  if (only === undefined || free.length > 1)
    return { type: only === undefined ? 'fixed' : 'other', axis: [1, 0, 0], limits: undefined };
  const isHinge = only.startsWith('rot');
  const [low, high] = ends(only);
  return {
    type: isHinge ? 'hinge' : 'slide',
    axis: AXES[only.slice(-1)] as Vector3,
    limits: rangeOf(low, high, isHinge ? DEGREE : metersPerUnit),
  };
}

interface Side {
  readonly link: string;
  /** The frame of the joint, as that side says. */
  readonly frame: Matrix4;
}

type Edge = WrittenJoint & { readonly sides: readonly [Side, Side] };

/** Joints such that each link is the child of one at most, beginning with what the world holds. */
function tree(
  edges: readonly Edge[],
  links: readonly string[],
  frames: ReadonlyMap<string, Matrix4>,
): RobotJoint[] {
  const byLink = new Map<string, Edge[]>();
  for (const edge of [...edges].sort((a, b) => Number(a.isExtra) - Number(b.isExtra))) {
    for (const { link } of edge.sides) byLink.set(link, [...(byLink.get(link) ?? []), edge]);
  }
  const children = new Set(edges.map(({ sides }) => sides[1].link));
  const placed = new Set<string>();
  const joints: RobotJoint[] = [];
  for (const root of [WORLD, ...links.filter((link) => !children.has(link)), ...links]) {
    if (placed.has(root)) continue;
    placed.add(root);
    const waiting = [root];
    for (let parent = waiting.shift(); parent !== undefined; parent = waiting.shift()) {
      for (const edge of byLink.get(parent) ?? []) {
        const isReversed = edge.sides[0].link !== parent;
        const child = edge.sides[isReversed ? 0 : 1].link;
        if (placed.has(child)) continue;
        placed.add(child);
        waiting.push(child);
        joints.push(robotJoint(edge, isReversed, frames));
      }
    }
  }
  return joints;
}

function robotJoint(edge: Edge, isReversed: boolean, frames: ReadonlyMap<string, Matrix4>): RobotJoint {
  const [parent, child] = isReversed ? [edge.sides[1], edge.sides[0]] : edge.sides;
  const axis = isReversed ? (edge.axis.map((part) => -part) as unknown as Vector3) : edge.axis;
  const frameOf = (link: string) => frames.get(link) ?? IDENTITY;
  const rest = restOf(edge.type, axis, multiply(inverse(parent.frame), child.frame));
  const posed = multiply(parent.frame, motionOf({ type: edge.type, axis }, rest));
  return {
    name: edge.name,
    type: edge.type,
    parent: parent.link,
    child: child.link,
    origin: multiply(inverse(frameOf(parent.link)), parent.frame),
    // Bodies are where the file has them, also where the two sides of a joint disagree.
    childOrigin: multiply(inverse(posed), frameOf(child.link)),
    axis,
    limits: edge.limits,
    rest,
  };
}

/** The value of a joint in the pose in which the file has its bodies. */
function restOf(type: RobotJoint['type'], axis: Vector3, between: Matrix4): number {
  const along = (vector: readonly number[]) =>
    vector.reduce((sum, part, k) => sum + part * (axis[k] ?? 0), 0);
  if (type === 'slide') return along(between.slice(12, 15));
  if (type !== 'hinge') return 0;
  const [x, y, z, w] = turnOf(between);
  const angle = 2 * Math.atan2(along([x, y, z]), w);
  const turned = angle > Math.PI ? angle - 2 * Math.PI : angle < -Math.PI ? angle + 2 * Math.PI : angle;
  return Math.abs(turned) < 1e-6 ? 0 : turned;
}

/** A frame without its scale. */
function rigid(matrix: Matrix4): Matrix4 {
  const lengths = [0, 4, 8].map((at) => Math.hypot(...matrix.slice(at, at + 3)) || 1) as [
    number,
    number,
    number,
  ];
  return matrix.map((value, at) =>
    at < 12 && at % 4 < 3 ? value / (lengths[at >> 2] as number) : value,
  ) as unknown as Matrix4;
}
