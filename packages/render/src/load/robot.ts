import type { Matrix4 } from '../matrix.ts';
import type { Front, Instance } from '../scene.ts';
import type { RobotJoint } from './urdf-links.ts';

/** A shape in the frame of the link that carries it. */
export interface LinkShape {
  readonly link: string;
  readonly instance: Instance;
}

/** Links connected by joints, Z up. */
export interface JointedRobot {
  readonly links: readonly string[];
  readonly joints: readonly RobotJoint[];
  readonly shapes: readonly LinkShape[];
  /** Transforms of links without a parent; links that are not listed are at the origin. */
  readonly roots?: ReadonlyMap<string, Matrix4>;
  readonly front: Front;
  /** Mass of all links, in kilograms. */
  readonly mass: number;
}
