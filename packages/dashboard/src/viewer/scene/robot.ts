import { type JointedRobot, motionOf, type RobotJoint } from '@bindery/render/models';
import * as THREE from 'three';
import type { Body, JointControl } from '../viewer.ts';
import type { ObjectFactory } from './objects.ts';

/** A robot on the stage with movable joints. */
export class RobotRig {
  readonly object = new THREE.Group();
  readonly controls: readonly JointControl[];
  /** The value of each of `controls`. */
  readonly values: number[];
  readonly bodies: readonly Body[];
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
    this.values = this.#movable.map(({ rest }) => rest);
    for (const [index, { rest }] of this.#movable.entries()) this.set(index, rest);
    this.controls = this.#movable.map(controlOf);
    const names = new Map([...this.#links].map(([name, link]) => [link, name]));
    this.bodies = [...bodiesBelow(this.object, names, 0)];
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
    if (joint === undefined) return;
    this.values[index] = value;
    this.#move(joint, value, new Set());
  }

  /** The objects of a body, given by its index in `bodies`, without those of the bodies that it carries. */
  shapesOf(body: number): THREE.Object3D[] {
    const link = this.#links.get(this.bodies[body]?.name ?? '');
    return link?.children.filter((child) => child instanceof THREE.Mesh) ?? [];
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

/** The links below an object, each after the one that carries it. */
function* bodiesBelow(
  object: THREE.Object3D,
  names: ReadonlyMap<THREE.Object3D, string>,
  depth: number,
): Generator<Body> {
  for (const child of object.children) {
    const name = names.get(child);
    if (name !== undefined) yield { name, depth };
    yield* bodiesBelow(child, names, name === undefined ? depth : depth + 1);
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
