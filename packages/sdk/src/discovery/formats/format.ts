import type { SourceMetadata } from '../metadata/source.ts';

/** What a file turned out to be. */
export type FileType =
  | 'mjcf'
  | 'urdf'
  | 'xacro'
  | 'sdf'
  | 'gltf'
  | 'usd'
  | 'collada'
  | 'obj'
  | 'stl'
  | 'ply'
  | 'fbx'
  | 'blend'
  | 'splat'
  | 'sog'
  | 'lod'
  | 'image'
  | 'mtl'
  | 'ogre-material'
  | 'ros-package'
  | 'gazebo-model'
  | 'robot-list'
  | 'gltf-metadata'
  | 'readme'
  | 'license';

export type ReferenceRole = 'include' | 'model' | 'mesh' | 'texture' | 'data';

/** A file that another one names. */
export interface Reference {
  /** As it is written, with what the format encodes decoded. */
  readonly text: string;
  readonly role: ReferenceRole;
  /** Where it stands, counted from 1; absent where the format has no lines. */
  readonly line?: number | undefined;
}

/** What was found out about one file by looking into it alone. Plain data, so that it can be kept. */
export interface FileFacts {
  readonly type: FileType;
  /** What the file holds says so, not its name alone. */
  readonly certain: boolean;
  readonly references: readonly Reference[];
  /** Of a description of robots or worlds: whether it holds something to see, and not only settings for others. */
  readonly isComplete?: boolean | undefined;
  /** It can only be included by others. */
  readonly isPart?: boolean | undefined;
  /** Where an MJCF model says that its files lie. */
  readonly folders?: MjcfFolders | undefined;
  /** What the file says that an asset is called, opens, is licensed under. */
  readonly metadata?: SourceMetadata | undefined;
  /** Why its references are not all known. */
  readonly warning?: string | undefined;
}

export interface MjcfFolders {
  readonly meshdir?: string | undefined;
  readonly texturedir?: string | undefined;
  readonly assetdir?: string | undefined;
}
