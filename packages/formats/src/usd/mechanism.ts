import type { LoadContext } from '../context.ts';
import type { MechanismReader } from '../format.ts';
import { LossList } from '../model/losses.ts';
import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotated,
  transformPoint,
  turnOf,
  unit,
} from '../model/matrix.ts';
import {
  type Actuator,
  type Body,
  type Joint,
  type Mechanism,
  PLAIN_JOINT,
  ROLES,
  type Shape,
} from '../model/mechanism.ts';
import type { Instance } from '../model/scene.ts';
import { parentsFirst, WORLD } from '../model/tree.ts';
import { physicsMaterial } from './binding.ts';
import { everyPrim } from './bodies.ts';
import { excludedPairs } from './collisions.ts';
import { keptDynamics, readDynamics } from './joint-dynamics.ts';
import { UsdMasses } from './mass.ts';
import { shapeOfInstance } from './mechanism-shapes.ts';
import { isFollower } from './mimics.ts';
import { negated, restOf, type StageJoint, shownName } from './physics.ts';
import { openUsd, refusingDamage, type SimulatedStage, simulatedStage } from './read.ts';
import { physicsOf } from './scene-physics.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { stageFrame, worldTransform } from './transforms.ts';
import { numberOf, textOf, withAncestors } from './values.ts';
import { nameUnread } from './vocabulary.ts';

/** Reads the bodies, joints and shapes of a stage with UsdPhysics. What is no body and in none stands in the world. */
export const readUsdMechanism: MechanismReader = (entry, context, { roles = ROLES } = {}) =>
  refusingDamage(async () =>
    mechanismOfStage(await simulatedStage(await openUsd(entry, context), roles), context),
  );

export function mechanismOfStage(source: SimulatedStage, context: LoadContext): Mechanism {
  const reader = new StageReader(source, context);
  nameUnread(everyPrim(source.stage.roots), reader.losses);
  const main = source.stage.defaultPrim ?? source.stage.roots[0];
  return {
    name: main === undefined ? '' : shownName(main),
    front: source.mechanism.joints.length > 0 ? undefined : '-y',
    bodies: parentsFirst(reader.bodies(), context.budget),
    actuators: reader.actuators,
    excluded: reader.excluded(),
    physics: physicsOf(source.stage, reader.losses),
    faults: source.stage.faults,
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
  readonly #masses: UsdMasses;
  readonly #byChild: ReadonlyMap<string, readonly StageJoint[]>;
  /** Joints with one axis. */
  readonly #single: ReadonlySet<string>;
  /** By the paths of prims. */
  readonly #frames = new Map<string, Frame>();
  readonly #shapes = new Map<string, Shape[]>();
  readonly #colliders = new Map<string, UsdPrim[]>();

  constructor(source: SimulatedStage, { budget }: LoadContext) {
    this.#source = source;
    const { stage, mechanism, visuals, collisions } = source;
    this.#masses = new UsdMasses(stage, budget);
    this.#byChild = Map.groupBy(mechanism.joints, ({ child }) => child);
    const single = mechanism.joints.filter(({ type }) => type === 'hinge' || type === 'slide');
    this.#single = new Set(single.map(({ name }) => name));
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
    for (const { name } of mechanism.loops)
      this.losses.add('joint', name, 'it closes a loop, which a tree of bodies cannot');
    return [...(standing.length > 0 ? [world] : []), ...links, ...parts];
  }

  excluded(): Mechanism['excluded'] {
    const { stage, mechanism } = this.#source;
    const carrierOf = (prim: UsdPrim | undefined) => this.#carrierOf(prim).name;
    return excludedPairs({ stage, mechanism, colliders: this.#colliders, carrierOf }, this.losses);
  }

  #link(name: string, prim: UsdPrim): Body {
    const { frames } = this.#source.mechanism;
    const frame = frames.get(name) ?? IDENTITY;
    const joints = this.#byChild.get(name) ?? [];
    const above = joints[0]?.parent;
    const parent = above === WORLD ? undefined : above;
    return {
      name,
      parent,
      pose: parent === undefined ? frame : multiply(inverse(frames.get(parent) ?? IDENTITY), frame),
      joints: joints.length === 0 ? freeJoint(name, prim) : joints.flatMap((joint) => this.#joints(joint)),
      inertial: this.#masses.inertialOf(prim, (why) => this.losses.add('mass', name, why)),
      shapes: this.#shapes.get(name) ?? [],
    };
  }

  #joints(joint: StageJoint): Joint[] {
    const { name, prim, motion, isReversed, childOrigin = IDENTITY, between } = joint;
    const { kind, freedoms, lockedAt } = motion;
    this.#nameIdle(joint);
    if (
      lockedAt !== undefined &&
      Math.abs(restOf(lockedAt.type, lockedAt.axis, between) - lockedAt.value) > 1e-6
    )
      this.losses.add('limits', name, 'they hold the joint elsewhere than where the file has its bodies');
    const toChild = inverse(childOrigin);
    const origin = transformPoint(toChild, [0, 0, 0]);
    if (kind === 'ball')
      return [{ ...PLAIN_JOINT, ...keptDynamics(prim), name, type: 'ball', anchor: origin }];
    const isTurned = Math.abs(turnOf(between)[3]) < 1 - 1e-9;
    const isSeveral = freedoms.length > 1 || (this.#byChild.get(joint.child) ?? []).length > 1;
    if (kind === 'unknown' || (isSeveral && isTurned)) {
      this.losses.add('joint', name, 'it moves in several ways at once, and is kept fixed');
      return [];
    }
    const [only] = freedoms.length === 1 ? freedoms : [];
    // Joints with several axes slide first, from the first body to the second, and turn around where that leads.
    const moved = transformPoint(toChild, [between[12], between[13], between[14]]);
    const ordered = isReversed ? freedoms.toReversed() : freedoms;
    return ordered.map((freedom) => {
      const axis = isReversed ? negated(freedom.axis) : freedom.axis;
      const own: Joint = {
        ...PLAIN_JOINT,
        name: only === undefined ? `${name}_${freedom.drive}` : name,
        type: freedom.type,
        anchor: only === undefined && !isReversed ? moved : origin,
        axis: unit(rotated(toChild, axis)),
        reference: restOf(freedom.type, axis, between),
        limits: freedom.limits,
        mimics: this.#mimicsOf(joint),
      };
      const driven = { freedom, name: own.name, rest: own.reference };
      const { dynamics, actuator } = readDynamics(prim, driven, this.#source.stage, this.losses);
      if (actuator !== undefined) this.actuators.push(actuator);
      return { ...own, ...dynamics };
    });
  }

  #mimicsOf({ name, prim, mimics }: StageJoint): Joint['mimics'] {
    if (mimics !== undefined && this.#single.has(mimics.joint)) return mimics;
    if (isFollower(prim))
      this.losses.add('coupled joint', name, 'there is no joint with one axis that it could follow');
    return undefined;
  }

  /** Names drives and limits along which a joint does not move. */
  #nameIdle({ name, prim, motion: { freedoms } }: StageJoint): void {
    for (const schema of prim.schemas) {
      const [api = '', along = ''] = schema.split(':');
      const isIdle =
        (api === 'PhysicsDriveAPI' && !freedoms.some(({ drive }) => drive === along)) ||
        (api === 'PhysicsLimitAPI' && (prim.typeName !== 'PhysicsJoint' || along === 'distance'));
      if (isIdle) this.losses.add(schema, name, 'the joint does not move along it');
    }
  }

  #addShape(instance: Instance, role: Shape['role']): void {
    const prim = this.#source.stage.at(instance.names?.[0] ?? '');
    if (prim === undefined) return;
    const { name, frame } = this.#carrierOf(prim);
    const shapes = this.#shapes.get(name) ?? [];
    this.#shapes.set(name, shapes);
    const shape = shapeOfInstance(instance, prim, role, inverse(frame));
    shapes.push(role === 'visual' ? shape : { ...shape, friction: this.#frictionOf(prim) });
    if (role !== 'collision') return;
    const colliders = this.#colliders.get(name) ?? [];
    this.#colliders.set(name, colliders);
    colliders.push(prim);
  }

  /** The friction of what slides; undefined for a prim that does not say it. */
  #frictionOf(prim: UsdPrim): number | undefined {
    const material = physicsMaterial(prim, this.#source.stage);
    const [sliding, resting] = ['dynamic', 'static'].map((kind) =>
      numberOf(material?.value(`physics:${kind}Friction`)),
    );
    if (material !== undefined && sliding !== undefined && resting !== undefined && resting !== sliding)
      this.losses.add(
        'physics:staticFriction',
        shownName(material),
        'what rests and what slides has one friction',
      );
    return sliding ?? resting;
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
  return [{ ...PLAIN_JOINT, ...keptDynamics(prim), name: `${name}_free`, type: 'free' }];
}

/** Prims that are said to be parts of a model. */
function* subcomponents(prims: readonly UsdPrim[]): Generator<UsdPrim> {
  for (const prim of prims) {
    if (textOf(prim.metadata('kind')) === 'subcomponent') yield prim;
    yield* subcomponents(prim.children);
  }
}
