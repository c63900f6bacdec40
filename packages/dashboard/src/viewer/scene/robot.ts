import { type JointedRobot, motionOf, type RobotJoint } from '@bindery/render/models';
import * as THREE from 'three';
import type { JointControl } from '../viewer.ts';
import type { ObjectFactory } from './objects.ts';

/** A robot on the stage with movable joints. */
export class RobotRig {
  readonly object = new THREE.Group();
  readonly controls: readonly JointControl[];
  readonly #movable: readonly RobotJoint[];
  readonly #links = new Map<string, THREE.Group>();
  readonly #motions = new Map<RobotJoint, THREE.Group>();
  readonly #followers: ReadonlyMap<string, readonly RobotJoint[]>;

  constructor({ links, joints, roots }: JointedRobot) {
    const children = new Set(joints.map(({ child }) => child));
    for (const name of new Set([...links, ...joints.flatMap(({ parent, child }) => [parent, child])])) {
      const link = new THREE.Group();
      const root = roots?.get(name);
      if (root !== undefined) setStaticMatrix(link, root);
      this.#links.set(name, link);
      if (!children.has(name)) this.object.add(link);
    }
    for (const joint of joints) this.#attachJoint(joint);
    this.#movable = joints.filter(({ type, mimics }) => (type === 'hinge' || type === 'slide') && !mimics);
    this.#followers = Map.groupBy(
      joints.filter(({ mimics }) => mimics !== undefined),
      ({ mimics }) => mimics?.joint ?? '',
    );
    for (const [index, { rest }] of this.#movable.entries()) this.set(index, rest);
    this.controls = this.#movable.map(controlOf);
  }

  /** Adds shapes to their links and returns the created objects. */
  attachShapes(shapes: JointedRobot['shapes'], factory: ObjectFactory): THREE.Object3D[] {
    return shapes.map(({ link, instance }) => {
      const mesh = factory.mesh(instance);
      (this.#links.get(link) ?? this.object).add(mesh);
      return mesh;
    });
  }

  /** Moves a joint, given by its index in `controls`, and those that follow it. */
  set(index: number, value: number): void {
    const joint = this.#movable[index];
    if (joint !== undefined) this.#move(joint, value, new Set());
  }

  #move(joint: RobotJoint, value: number, moved: Set<RobotJoint>): void {
    if (moved.has(joint)) return;
    moved.add(joint);
    const motion = this.#motions.get(joint);
    if (motion !== undefined) setStaticMatrix(motion, motionOf(joint, value));
    for (const follower of this.#followers.get(joint.name) ?? []) {
      const { multiplier = 1, offset = 0 } = follower.mimics ?? {};
      this.#move(follower, value * multiplier + offset, moved);
    }
  }

  /** Nests parent, joint origin, joint motion, child. A link claimed by two joints keeps the first; loops stay open. */
  #attachJoint(joint: RobotJoint): void {
    const [parent, child] = [this.#links.get(joint.parent), this.#links.get(joint.child)];
    if (parent === undefined || child === undefined || child.parent !== null) return;
    for (let above: THREE.Object3D | null = parent; above !== null; above = above.parent) {
      if (above === child) {
        this.object.add(child);
        return;
      }
    }
    const place = new THREE.Group();
    const motion = new THREE.Group();
    setStaticMatrix(place, joint.origin);
    motion.add(child);
    place.add(motion);
    parent.add(place);
    if (joint.childOrigin !== undefined) setStaticMatrix(child, joint.childOrigin);
    this.#motions.set(joint, motion);
  }
}

function setStaticMatrix(object: THREE.Object3D, matrix: RobotJoint['origin']): void {
  object.matrixAutoUpdate = false;
  object.matrix.fromArray(matrix);
  object.matrixWorldNeedsUpdate = true;
}

function controlOf({ name, type, limits, rest }: RobotJoint): JointControl {
  const [lower, upper] = limits ?? [0, 0];
  const isLimited = lower < upper;
  const reach = type === 'hinge' ? Math.PI : 1;
  return {
    name,
    unit: type === 'hinge' ? 'rad' : 'm',
    min: isLimited ? lower : -reach,
    max: isLimited ? upper : reach,
    value: rest,
  };
}
