import type { Matrix4 } from './matrix.ts';
import type { Instance, LineSet, Motion, PointCloud } from './scene.ts';

export interface MeshOptions {
  /** Whether instances have their names. */
  readonly byObject: boolean;
  /** Whether animations are read. */
  readonly isMoving: boolean;
}

/** A mesh file by itself or as a part of a robot. */
export interface MeshFile {
  readonly instances: readonly Instance[];
  readonly points: readonly PointCloud[];
  readonly lines?: readonly LineSet[];
  /** The format prescribes that Y is up. */
  readonly isYUp: boolean;
  /** The rotation that stands the file upright if it is shown on its own; not applied to parts of a robot. */
  readonly upright?: Matrix4;
  readonly motion?: Motion | undefined;
  /** How many animations the file has, if that is known without reading them. */
  readonly animations?: number | undefined;
  /** The file has its own materials. */
  readonly hasMaterials: boolean;
}
