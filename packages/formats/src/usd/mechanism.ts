import type { LoadContext } from '../context.ts';
import type { MechanismReader } from '../format.ts';
import { LossList } from '../model/losses.ts';
import { IDENTITY, inverse, type Matrix4, multiply, rotated, unit } from '../model/matrix.ts';
import {
  type Actuator,
  type Body,
  type Joint,
  type Mechanism,
  ON_EARTH,
  PLAIN_JOINT,
  ROLES,
  type Shape,
} from '../model/mechanism.ts';
import type { Instance } from '../model/scene.ts';
import { parentsFirst } from '../model/tree.ts';
import { readDynamics, readFreedom, readInertial, UsdUnits } from './mechanism-physics.ts';
import { shapeOfInstance } from './mechanism-shapes.ts';
import { shownName, stageFrame, WORLD } from './physics.ts';
import { openUsd, refusingDamage, type SimulatedStage, simulatedStage } from './read.ts';
import type { RobotJoint } from './robot-joint.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { worldTransform } from './transforms.ts';
import { textOf, withAncestors } from './values.ts';

/** Reads the bodies, joints and shapes of a stage with UsdPhysics. What is no body and in none stands in the world. */
export const readUsdMechanism: MechanismReader = (entry, context, { roles = ROLES } = {}) =>
  refusingDamage(async () =>
    mechanismOfStage(await simulatedStage(await openUsd(entry, context), roles), context),
  );

export function mechanismOfStage(source: SimulatedStage, context: LoadContext): Mechanism {
  const reader = new StageReader(source);
  return {
    name: source.stage.defaultPrim === undefined ? '' : shownName(source.stage.defaultPrim),
    front: source.mechanism.joints.length > 0 ? undefined : '-y',
    bodies: parentsFirst(reader.bodies(), context.budget),
    actuators: reader.actuators,
    excluded: reader.excluded(),
    physics: ON_EARTH,
    faults: [],
    losses: reader.losses.all,
  };
}

/** A prim that is a body, or a frame that is fixed to one. */
interface Frame {
  readonly name: string;
  readonly frame: Matrix4;
}

class StageReader {
  readonly losses = new LossList();
  readonly actuators: Actuator[] = [];
  readonly #source: SimulatedStage;
  readonly #units: UsdUnits;
  readonly #byChild: ReadonlyMap<string, RobotJoint>;
  /** By the paths of prims. */
  readonly #frames = new Map<string, Frame>();
  readonly #shapes = new Map<string, Shape[]>();

  constructor(source: SimulatedStage) {
    this.#source = source;
    const { stage, mechanism, visuals, collisions } = source;
    this.#units = new UsdUnits(stage);
    this.#byChild = new Map(mechanism.joints.map((joint) => [joint.child, joint]));
    for (const [name, prim] of mechanism.prims)
      this.#frames.set(prim.path, { name, frame: mechanism.frames.get(name) ?? IDENTITY });
    const toMetres = stageFrame(stage);
    for (const prim of subcomponents(stage.roots))
      if (!this.#frames.has(prim.path))
        this.#frames.set(prim.path, {
          name: shownName(prim),
          frame: multiply(toMetres, worldTransform(prim)),
        });
    for (const instance of visuals) this.#addShape(instance, 'visual');
    for (const instance of collisions) this.#addShape(instance, 'collision');
  }

  bodies(): Body[] {
    const { mechanism } = this.#source;
    const links = [...mechanism.prims].map(([name, prim]) => this.#link(name, prim));
    const known = new Set(mechanism.links);
    const fixed = [...this.#frames].filter(([, { name }]) => !known.has(name));
    const parts = fixed.map(([path, { name, frame }]): Body => {
      const above = this.#carrierOf(this.#source.stage.at(path)?.parent);
      return {
        name,
        parent: above.name === WORLD ? undefined : above.name,
        pose: multiply(inverse(above.frame), frame),
        joints: [],
        inertial: undefined,
        shapes: this.#shapes.get(name) ?? [],
      };
    });
    const standing = fixed.some(([, { name }]) => name === WORLD) ? [] : (this.#shapes.get(WORLD) ?? []);
    const world: Body = {
      name: WORLD,
      parent: undefined,
      pose: IDENTITY,
      joints: [],
      inertial: undefined,
      shapes: standing,
    };
    const inTree = new Set(mechanism.joints.map(({ name }) => name));
    for (const name of mechanism.jointPrims.keys())
      if (!inTree.has(name))
        this.losses.add('joint', name, 'it closes a loop, which a tree of bodies cannot');
    return [...(standing.length > 0 ? [world] : []), ...links, ...parts];
  }

  excluded(): [string, string][] {
    return [...this.#source.mechanism.prims].flatMap(([name, prim]) =>
      prim
        .targets('physics:filteredPairs')
        .map((path): [string, string] => [name, this.#carrierOf(this.#source.stage.at(path)).name]),
    );
  }

  #link(name: string, prim: UsdPrim): Body {
    const { frames } = this.#source.mechanism;
    const frame = frames.get(name) ?? IDENTITY;
    const joint = this.#byChild.get(name);
    const parent = joint === undefined || joint.parent === WORLD ? undefined : joint.parent;
    return {
      name,
      parent,
      pose: parent === undefined ? frame : multiply(inverse(frames.get(parent) ?? IDENTITY), frame),
      joints: joint === undefined ? freeJoint(name, prim) : this.#joint(joint),
      inertial: readInertial(prim, this.#units, (why) => this.losses.add('mass', name, why)),
      shapes: this.#shapes.get(name) ?? [],
    };
  }

  #joint(joint: RobotJoint): Joint[] {
    const { name, type, limits, rest, axis, childOrigin = IDENTITY } = joint;
    const prim = this.#source.mechanism.jointPrims.get(name);
    if (type === 'fixed' || prim === undefined) return [];
    const toChild = inverse(childOrigin);
    const isBall = prim.typeName === 'PhysicsSphericalJoint';
    if (type === 'other' && !isBall) {
      this.losses.add('joint', name, 'it moves in several ways at once, and is kept fixed');
      return [];
    }
    const own: Joint = {
      ...PLAIN_JOINT,
      name,
      type: type === 'other' ? 'ball' : type,
      anchor: [toChild[12], toChild[13], toChild[14]],
      axis: isBall ? PLAIN_JOINT.axis : unit(rotated(toChild, axis)),
      reference: isBall ? 0 : rest,
      limits,
    };
    const { dynamics, actuator } = readDynamics(prim, own, this.#units);
    if (actuator !== undefined) this.actuators.push(actuator);
    return [{ ...own, ...dynamics }];
  }

  #addShape(instance: Instance, role: Shape['role']): void {
    const prim = this.#source.stage.at(instance.names?.[0] ?? '');
    if (prim === undefined) return;
    const { name, frame } = this.#carrierOf(prim);
    const shapes = this.#shapes.get(name) ?? [];
    this.#shapes.set(name, shapes);
    shapes.push(shapeOfInstance(instance, prim, role, inverse(frame)));
  }

  /** The innermost body or frame that a prim is, or is in. */
  #carrierOf(prim: UsdPrim | undefined): Frame {
    for (const one of prim === undefined ? [] : withAncestors(prim)) {
      const found = this.#frames.get(one.path);
      if (found !== undefined) return found;
    }
    return { name: WORLD, frame: IDENTITY };
  }
}

/** A body that no joint holds floats, unless only its animation moves it. */
function freeJoint(name: string, prim: UsdPrim): Joint[] {
  if (prim.value('physics:kinematicEnabled') === true) return [];
  return [{ ...PLAIN_JOINT, ...readFreedom(prim), name: `${name}_free`, type: 'free' }];
}

/** Prims that are said to be parts of a model. */
function* subcomponents(prims: readonly UsdPrim[]): Generator<UsdPrim> {
  for (const prim of prims) {
    if (textOf(prim.metadata('kind')) === 'subcomponent') yield prim;
    yield* subcomponents(prim.children);
  }
}
