import type { FormatName, Survey } from '@bindery/formats';

/** What a file turned out to be. */
export type FileType =
  | FormatName
  /** The parts of splats in the format of that name. */
  | 'sog'
  | 'lod'
  | 'mtl'
  | 'ogre-material'
  | 'materialx'
  | 'ros-package'
  | 'gazebo-model'
  | 'robot-list'
  | 'gltf-metadata'
  | 'readme'
  /** Named by others only; why it is known at all is in its warning. */
  | 'unknown'
  | 'license';

/** What was found by examining one file alone. */
export interface FileFacts extends Survey {
  readonly type: FileType;
}
