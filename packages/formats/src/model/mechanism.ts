import type { Fault, Loss } from '../verdicts.ts';
import type { Matrix4, Vector3 } from './matrix.ts';
import type { Primitive } from './primitives.ts';
import type { Geometry, Material } from './scene.ts';

/**
 * What formats of robots have in common: rigid bodies in a tree, the joints between them, and their shapes. Metres,
 * kilograms, seconds, radians; Z points up. A reader makes one of a model, a writer makes a model of it.
 */
export interface Mechanism {
  readonly name: string;
  /** The direction in which it faces; X if undefined, as robots do. */
  readonly front?: '-y' | undefined;
  /** Parents come before their children. Names are unique. */
  readonly bodies: readonly Body[];
  readonly actuators: readonly Actuator[];
  /** Pairs of bodies that do not collide. */
  readonly excluded: readonly (readonly [string, string])[];
  readonly physics: Physics;
  /** What the model has and a mechanism cannot hold, such as tendons. */
  readonly losses: readonly Loss[];
  /** Why the format's own library refuses the model; it was read as far as it makes sense. */
  readonly faults: readonly Fault[];
  /** Of a model in macros. */
  readonly parameters?: readonly ModelParameter[] | undefined;
}

/** An argument of a model in macros that chooses among models, or switches something. */
export interface ModelParameter {
  readonly name: string;
  readonly value: string;
  /** What else it can be, and `value`. */
  readonly values: readonly string[];
}

/** What holds for all bodies when they are simulated. */
export interface Physics {
  /** In m/s², in the world. */
  readonly gravity: Vector3;
  /** In seconds; undefined where it is for the simulator to choose. */
  readonly timestep: number | undefined;
}

/** What simulators assume of a model that does not say it. */
export const ON_EARTH: Physics = { gravity: [0, 0, -9.81], timestep: undefined };

export interface Body {
  readonly name: string;
  /** Undefined for a body in the world. */
  readonly parent: string | undefined;
  /** From the frame of the body to that of its parent, with all joints at their reference. */
  readonly pose: Matrix4;
  /** Applied from the first to the last; empty for a body that is fixed to its parent. */
  readonly joints: readonly Joint[];
  readonly inertial: Inertial | undefined;
  readonly shapes: readonly Shape[];
}

export interface Inertial {
  readonly mass: number;
  /** In the frame of the body. */
  readonly center: Vector3;
  /** About the centre, along the axes of the body: xx, yy, zz, xy, xz, yz. */
  readonly inertia: readonly [number, number, number, number, number, number];
}

/** `free` and `ball` have no axis and no limits. */
export interface Joint {
  readonly name: string;
  readonly type: 'free' | 'ball' | 'hinge' | 'slide';
  /** In the frame of the body. */
  readonly anchor: Vector3;
  /** Unit vector in the frame of the body. */
  readonly axis: Vector3;
  /** The value of the joint in `pose`; other values are measured from here. */
  readonly reference: number;
  /** One of them is infinite where there is only the other. */
  readonly limits: readonly [lower: number, upper: number] | undefined;
  readonly damping: number;
  /** Dry friction. */
  readonly friction: number;
  readonly armature: number;
  readonly stiffness: number;
  /** Where the spring rests. */
  readonly springReference: number;
  /** The most force or torque, and speed, that drive it, if the format says so. */
  readonly effort: number | undefined;
  readonly velocity: number | undefined;
  /** It follows another joint: `multiplier` times its value, plus `offset`. */
  readonly mimics?:
    | { readonly joint: string; readonly multiplier: number; readonly offset: number }
    | undefined;
}

/** A joint that does nothing but hold. */
export const PLAIN_JOINT: Omit<Joint, 'name' | 'type'> = {
  anchor: [0, 0, 0],
  axis: [0, 0, 1],
  reference: 0,
  limits: undefined,
  damping: 0,
  friction: 0,
  armature: 0,
  stiffness: 0,
  springReference: 0,
  effort: undefined,
  velocity: undefined,
};

export interface Shape {
  readonly name: string;
  readonly role: 'visual' | 'collision';
  /** In the frame of the body. */
  readonly pose: Matrix4;
  readonly form: Form;
  /** Of a visual; that of a mesh without a material of its own file. */
  readonly material: Material | undefined;
  /** Sliding friction of a collision shape, if the format says so. */
  readonly friction?: number | undefined;
}

/** What shapes can be for. */
export const ROLES = ['visual', 'collision'] as const satisfies readonly Shape['role'][];

/** A form around the origin of its shape. */
export type Form = Primitive | Plane | Mesh;

/** The plane z = 0. */
export interface Plane {
  readonly type: 'plane';
  /** Along x and y, of what is drawn of it if there is nothing else. */
  readonly size?: readonly [number, number] | undefined;
}

/** Triangles, with scale applied, in the frame of the shape. Shapes that share a mesh share this. */
export interface Mesh {
  readonly type: 'mesh';
  readonly name: string;
  readonly parts: readonly MeshPart[];
}

export interface MeshPart {
  readonly geometry: Geometry;
  /** The material of the mesh's own file. */
  readonly material: Material | undefined;
}

/** Drives a joint. */
export interface Actuator {
  readonly name: string;
  readonly joint: string;
  readonly type: 'motor' | 'position' | 'velocity';
  /** Of the control. */
  readonly range: readonly [lower: number, upper: number] | undefined;
  readonly forceRange: readonly [lower: number, upper: number] | undefined;
  readonly gear: number;
  /** Proportional and derivative gains of a servo. */
  readonly kp: number;
  readonly kv: number;
}
