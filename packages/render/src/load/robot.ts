import type { Matrix4 } from '../matrix.ts';
import type { Front, Instance } from '../scene.ts';
import type { RobotJoint } from './urdf-links.ts';

/** A shape in the frame of the link that carries it. */
export interface LinkShape {
  readonly link: string;
  readonly instance: Instance;
}

/** Links that hang on each other by joints, Z up. */
export interface JointedRobot {
  readonly links: readonly string[];
  readonly joints: readonly RobotJoint[];
  readonly shapes: readonly LinkShape[];
  /** Where links lie that hang on nothing; at the origin those that are not named. */
  readonly roots?: ReadonlyMap<string, Matrix4>;
  readonly front: Front;
  /** Of all links, in kilograms. */
  readonly mass: number;
}
