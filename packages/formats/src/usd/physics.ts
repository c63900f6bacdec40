import {
  compose,
  dot,
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotated,
  turnOf,
  unit,
  type Vector3,
} from '../model/matrix.ts';
import { WORLD } from '../model/tree.ts';
import type { Budget } from '../reading/limits.ts';
import { everyPrim, isBody } from './bodies.ts';
import { type JointMotion, motionOfJoint, singleMotion } from './joints.ts';
import { UsdMasses } from './mass.ts';
import { mimicsOf } from './mimics.ts';
import { motionOf, type RobotJoint } from './robot-joint.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { quaternionOf, rigid, stageFrame, worldTransform } from './transforms.ts';
import { numbersOf, textOf, vectorOf, withAncestors } from './values.ts';

/** The bodies and joints of a stage, Z up, in metres. */
export interface Mechanism {
  readonly links: readonly string[];
  /** The prim of each link, by its name. */
  readonly prims: ReadonlyMap<string, UsdPrim>;
  /** The frame of each link, by its name. */
  readonly frames: ReadonlyMap<string, Matrix4>;
  /** Those that hold one body on another come after one another, as they are applied. */
  readonly joints: readonly StageJoint[];
  /** Joints that a tree of links leaves out. */
  readonly loops: readonly Loop[];
  /** In kilograms. */
  readonly mass: number;
  /** The link that carries a prim, by the path of the prim. */
  linkOf(path: string): string;
}

/** A joint of a stage. */
export interface StageJoint extends RobotJoint {
  readonly prim: UsdPrim;
  readonly motion: JointMotion;
  /** The child is the first body that the file names. */
  readonly isReversed: boolean;
  /** From its frame on the child to that on the parent. */
  readonly between: Matrix4;
}

/** A joint that would close a loop of links. */
export interface Loop {
  readonly name: string;
  readonly prim: UsdPrim;
  readonly links: readonly [string, string];
}

/** Reads bodies and joints of UsdPhysics; undefined for a stage in which no joint connects bodies. */
export function mechanismOf(stage: UsdStage, budget: Budget): Mechanism | undefined {
  const mechanism = bodiesAndJoints(stage, budget);
  return mechanism.joints.length === 0 ? undefined : mechanism;
}

/** Reads bodies and joints of UsdPhysics, of which a stage may have none. */
export function bodiesAndJoints(stage: UsdStage, budget: Budget): Mechanism {
  const prims = [...everyPrim(stage.roots)];
  const written = jointsOf(prims, stage);
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
  const jointNames = new Map(written.map(({ prim, name }) => [prim.path, name]));
  const placed = tree(edges, [...names.values()]);
  const used = new Set(placed.map(({ edge }) => edge));
  const joints = placed.map((one) => stageJoint(one, frames, stage, jointNames));
  const masses = new UsdMasses(stage, budget);
  return {
    links: [...names.values()],
    prims: new Map(bodies.map((body) => [names.get(body.path) as string, body])),
    frames,
    joints,
    loops: edges
      .filter((edge) => !used.has(edge))
      .map(({ name, prim, sides: [one, other] }) => ({ name, prim, links: [one.link, other.link] })),
    get mass() {
      return bodies.reduce((sum, body) => sum + masses.massOf(body), 0);
    },
    linkOf: (path) => names.get(carrierOf(stage.at(path)) ?? '') ?? WORLD,
  };
}

/** The names of bodies or joints, by their paths; whole paths where names are not unique. */
function namesOf(prims: readonly UsdPrim[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const prim of prims) counts.set(shownName(prim), (counts.get(shownName(prim)) ?? 0) + 1);
  return new Map(
    prims.map((prim) => {
      const name = shownName(prim);
      return [prim.path, name !== WORLD && counts.get(name) === 1 ? name : prim.path];
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
  readonly motion: JointMotion;
  readonly first: JointSide;
  readonly second: JointSide;
  /** It is no part of an articulation, and holds only what nothing else does. */
  readonly isExtra: boolean;
}

function jointsOf(prims: readonly UsdPrim[], stage: UsdStage): WrittenJoint[] {
  const joints = prims.flatMap((prim) => {
    const motion = motionOfJoint(prim, stage.metersPerUnit);
    const isEnabled = prim.value('physics:jointEnabled') !== false;
    return motion === undefined || !isEnabled ? [] : [{ prim, motion }];
  });
  const names = namesOf(joints.map(({ prim }) => prim));
  return joints.flatMap(({ prim, motion }) => {
    const [first, second] = [sideOf(prim, 0, stage), sideOf(prim, 1, stage)];
    if (first.prim === undefined && second.prim === undefined) return [];
    const isExtra = prim.value('physics:excludeFromArticulation') === true;
    return [{ name: names.get(prim.path) ?? prim.path, prim, motion, first, second, isExtra }];
  });
}

function sideOf(joint: UsdPrim, number: 0 | 1, stage: UsdStage): JointSide {
  const [target] = joint.targets(`physics:body${number}`);
  const place = vectorOf(joint.value(`physics:localPos${number}`)) ?? [0, 0, 0];
  const turn = quaternionOf(numbersOf(joint.value(`physics:localRot${number}`)) ?? [], 0);
  return {
    prim: target === undefined ? undefined : stage.at(target),
    matrix: compose(place, turn, [1, 1, 1]),
  };
}

interface Side {
  readonly link: string;
  /** The frame of the joint, as that side says. */
  readonly frame: Matrix4;
}

type Edge = WrittenJoint & { readonly sides: readonly [Side, Side] };

/** A joint from a link to another, in the order of the file or not. */
interface Branch {
  readonly edge: Edge;
  readonly isReversed: boolean;
}

/** Joints such that each link is the child of one at most, beginning with what the world holds. */
function tree(edges: readonly Edge[], links: readonly string[]): Branch[] {
  const byLink = new Map<string, Edge[]>();
  for (const edge of edges)
    for (const { link } of edge.sides) byLink.set(link, [...(byLink.get(link) ?? []), edge]);
  const children = new Set(edges.filter(({ isExtra }) => !isExtra).map(({ sides }) => sides[1].link));
  const placed = new Set<string>();
  const branches: Branch[] = [];
  for (const root of [WORLD, ...links.filter((link) => !children.has(link)), ...links]) {
    if (placed.has(root)) continue;
    const waiting: [edge: Edge, parent: string][] = [];
    const extra: [edge: Edge, parent: string][] = [];
    const place = (link: string) => {
      placed.add(link);
      for (const edge of byLink.get(link) ?? []) (edge.isExtra ? extra : waiting).push([edge, link]);
    };
    place(root);
    const first = () => waiting.shift() ?? extra.shift();
    for (let next = first(); next !== undefined; next = first()) {
      const [edge, parent] = next;
      const isReversed = edge.sides[0].link !== parent;
      const child = edge.sides[isReversed ? 0 : 1].link;
      if (placed.has(child)) continue;
      const stack = stacked(edge, byLink.get(child) ?? []);
      branches.push(...(isReversed ? stack.toReversed() : stack).map((one) => ({ edge: one, isReversed })));
      place(child);
    }
  }
  return branches;
}

/**
 * Joints with one axis each between the same bodies, in the order of the file. As MuJoCo's models become USD, these apply
 * one after another; two along one axis, as a door has, hold together.
 */
function stacked(first: Edge, edges: readonly Edge[]): Edge[] {
  const stack = [first];
  const isAlike = (edge: Edge, other: Edge) =>
    edge.sides.every(({ link }, at) => link === other.sides[at]?.link);
  const ways = (edge: Edge) =>
    edge.motion.freedoms.map(({ type, axis }) => ({ type, axis: unit(rotated(edge.sides[1].frame, axis)) }));
  for (const edge of edges) {
    const [way, ...more] = edge.isExtra === first.isExtra && isAlike(edge, first) ? ways(edge) : [];
    const isOther = (taken: Edge) =>
      ways(taken).every(({ type, axis }) => type !== way?.type || Math.abs(dot(axis, way.axis)) < PARALLEL);
    if (
      way &&
      more.length === 0 &&
      stack.every((taken) => taken.motion.freedoms.length === 1 && isOther(taken))
    )
      stack.push(edge);
  }
  return stack;
}

/** The cosine of what counts as no angle. */
const PARALLEL = 1 - 1e-6;

function stageJoint(
  { edge, isReversed }: Branch,
  frames: ReadonlyMap<string, Matrix4>,
  stage: UsdStage,
  jointNames: ReadonlyMap<string, string>,
): StageJoint {
  const [parent, child] = isReversed ? [edge.sides[1], edge.sides[0]] : edge.sides;
  const { type, axis: written, limits } = singleMotion(edge.motion);
  const axis = isReversed ? negated(written) : written;
  const frameOf = (link: string) => frames.get(link) ?? IDENTITY;
  const between = multiply(inverse(parent.frame), child.frame);
  const rest = restOf(type, axis, between);
  const posed = multiply(parent.frame, motionOf({ type, axis }, rest));
  return {
    name: edge.name,
    type,
    parent: parent.link,
    child: child.link,
    origin: multiply(inverse(frameOf(parent.link)), parent.frame),
    // Bodies are where the file has them, also where the two sides of a joint disagree.
    childOrigin: multiply(inverse(posed), frameOf(child.link)),
    axis,
    limits,
    rest,
    mimics: mimicsOf(edge.prim, type, stage, (path) => jointNames.get(path)),
    prim: edge.prim,
    motion: edge.motion,
    isReversed,
    between,
  };
}

export function negated([x, y, z]: Vector3): Vector3 {
  return [-x, -y, -z];
}

/** The value of a joint in the pose in which the file has its bodies. */
export function restOf(type: RobotJoint['type'], axis: Vector3, between: Matrix4): number {
  const along = (vector: readonly number[]) =>
    vector.reduce((sum, part, k) => sum + part * (axis[k] ?? 0), 0);
  if (type === 'slide') return along(between.slice(12, 15));
  if (type !== 'hinge') return 0;
  const [x, y, z, w] = turnOf(between);
  const angle = 2 * Math.atan2(along([x, y, z]), w);
  const turned = angle > Math.PI ? angle - 2 * Math.PI : angle < -Math.PI ? angle + 2 * Math.PI : angle;
  return Math.abs(turned) < 1e-6 ? 0 : turned;
}
