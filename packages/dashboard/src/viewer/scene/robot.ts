import { atRest, drawnParts, type Joint, jointMotion, type Mechanism, reachOf } from '@bindery/render/models';
import * as THREE from 'three';
import type { Body, JointControl } from '../viewer.ts';
import type { ObjectFactory } from './objects.ts';
import type { Lever, Reachable } from './reach.ts';

/** A mechanism on the stage, whose joints can be moved. */
export class RobotRig {
  readonly object = new THREE.Group();
  readonly controls: readonly JointControl[];
  /** The value of each of `controls`. */
  readonly values: number[];
  readonly bodies: readonly Body[];
  readonly #movable: readonly MovableJoint[];
  readonly #frames = new Map<string, THREE.Group>();
  readonly #motions = new Map<string, THREE.Group>();
  /** The joint that moves a group. */
  readonly #joints = new Map<THREE.Object3D, Joint>();
  readonly #followers: ReadonlyMap<string, readonly MovableJoint[]>;

  constructor(mechanism: Mechanism) {
    const depths = new Map<string, number>();
    for (const { name, parent = '', pose, joints } of mechanism.bodies) {
      let above: THREE.Object3D = this.#frames.get(parent) ?? this.object;
      above = addGroup(above, pose);
      for (const joint of joints) {
        above = addGroup(above);
        this.#motions.set(joint.name, above as THREE.Group);
        this.#joints.set(above, joint);
      }
      this.#frames.set(name, addGroup(above));
      depths.set(name, (depths.get(parent) ?? -1) + 1);
    }
    const joints = mechanism.bodies.flatMap((body) => body.joints).filter(isMovable);
    this.#movable = joints.filter(({ mimics }) => mimics === undefined);
    this.#followers = Map.groupBy(
      joints.filter(({ mimics }) => mimics !== undefined),
      ({ mimics }) => mimics?.joint ?? '',
    );
    const rest = atRest(mechanism);
    this.values = this.#movable.map(({ name }) => Number(rest.get(name) ?? 0));
    this.controls = this.#movable.map((joint, index) => controlOf(joint, this.values[index] ?? 0));
    for (const [index, value] of this.values.entries()) this.set(index, value);
    this.bodies = mechanism.bodies.map(({ name, inertial }) => ({
      name,
      depth: depths.get(name) ?? 0,
      ...(inertial && { mass: inertial.mass }),
    }));
  }

  /** Adds the shapes of a mechanism with the same bodies, and returns the created objects. */
  attachShapes({ bodies }: Mechanism, factory: ObjectFactory): THREE.Object3D[] {
    return bodies.flatMap(({ name, shapes }) =>
      shapes.flatMap(drawnParts).map((instance) => {
        const mesh = factory.mesh(instance);
        (this.#frames.get(name) ?? this.object).add(mesh);
        return mesh;
      }),
    );
  }

  /** Moves a joint, given by its index in `controls`, and those that follow it. */
  set(index: number, value: number): void {
    const joint = this.#movable[index];
    if (joint === undefined) return;
    this.values[index] = value;
    this.#move(joint, value, new Set());
  }

  /** The objects of a body, given by its index in `bodies`, without those of the bodies that it carries. */
  shapesOf(body: number): THREE.Object3D[] {
    const frame = this.#frames.get(this.bodies[body]?.name ?? '');
    return frame?.children.filter((child) => child instanceof THREE.Mesh) ?? [];
  }

  /** A point of an object, in its frame, which joints can bring elsewhere; undefined if none carries it. */
  hold(object: THREE.Object3D, local: THREE.Vector3): Reachable | undefined {
    const carriers: (Pick<Lever, 'joint' | 'factor'> & { own: MovableJoint; within: THREE.Object3D })[] = [];
    for (let { parent } = object; parent !== null; parent = parent.parent) {
      const own = this.#joints.get(parent);
      const leader = own && this.#leaderOf(own);
      if (own && isMovable(own) && leader && parent.parent)
        carriers.push({ ...leader, own, within: parent.parent });
    }
    const first = carriers.at(-1);
    if (first === undefined) return undefined;
    return {
      point: () => {
        first.within.updateWorldMatrix(false, true);
        return local.clone().applyMatrix4(object.matrixWorld).toArray();
      },
      levers: () =>
        carriers.map(({ joint, factor, own: { type, axis, anchor }, within: { matrixWorld } }) => ({
          joint,
          factor,
          type,
          axis: new THREE.Vector3(...axis).transformDirection(matrixWorld).toArray(),
          anchor: new THREE.Vector3(...anchor).applyMatrix4(matrixWorld).toArray(),
        })),
      value: (joint) => this.values[joint] ?? 0,
      set: (joint, value) => this.set(joint, value),
    };
  }

  /** The index in `controls` of the joint that a joint follows, which may be itself, and how far it moves with that. */
  #leaderOf(joint: Joint): Pick<Lever, 'joint' | 'factor'> | undefined {
    let [leader, factor]: [Joint | undefined, number] = [joint, 1];
    for (const seen = new Set<Joint>(); leader?.mimics !== undefined && !seen.has(leader); ) {
      seen.add(leader);
      factor *= leader.mimics.multiplier;
      leader = this.#joints.get(this.#motions.get(leader.mimics.joint) ?? this.object);
    }
    const index = this.#movable.indexOf(leader as MovableJoint);
    return index < 0 ? undefined : { joint: index, factor };
  }

  #move(joint: MovableJoint, value: number, moved: Set<MovableJoint>): void {
    if (moved.has(joint)) return;
    moved.add(joint);
    const motion = this.#motions.get(joint.name);
    if (motion !== undefined) setStaticMatrix(motion, jointMotion(joint, value));
    for (const follower of this.#followers.get(joint.name) ?? []) {
      const { multiplier = 1, offset = 0 } = follower.mimics ?? {};
      this.#move(follower, value * multiplier + offset, moved);
    }
  }
}

type MovableJoint = Joint & { readonly type: 'hinge' | 'slide' };

function isMovable(joint: Joint): joint is MovableJoint {
  return joint.type === 'hinge' || joint.type === 'slide';
}

function addGroup(parent: THREE.Object3D, matrix?: Mechanism['bodies'][number]['pose']): THREE.Group {
  const group = new THREE.Group();
  if (matrix !== undefined) setStaticMatrix(group, matrix);
  parent.add(group);
  return group;
}

function setStaticMatrix(object: THREE.Object3D, matrix: Mechanism['bodies'][number]['pose']): void {
  object.matrixAutoUpdate = false;
  object.matrix.fromArray(matrix);
  object.matrixWorldNeedsUpdate = true;
}

function controlOf({ name, type, limits }: MovableJoint, value: number): JointControl {
  const [min, max] = reachOf(type, limits);
  return { name, unit: type === 'hinge' ? 'rad' : 'm', min, max, value };
}
