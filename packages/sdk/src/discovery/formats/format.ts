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

/** A reference from one file to another. */
export interface Reference {
  /** As written, after decoding what the format encodes. */
  readonly text: string;
  readonly role: ReferenceRole;
  /** Line number, counted from 1; absent if the format has no lines. */
  readonly line?: number | undefined;
}

/** What was found by examining one file alone. Plain data, so that it can be stored. */
export interface FileFacts {
  readonly type: FileType;
  /** Whether the content confirms the type, not just the name. */
  readonly certain: boolean;
  readonly references: readonly Reference[];
  /** For descriptions of robots or worlds: whether there is something to see, not only settings for others. */
  readonly isComplete?: boolean | undefined;
  /** Whether it can only be included by others. */
  readonly isPart?: boolean | undefined;
  /** The folders in which an MJCF model says its files are. */
  readonly folders?: MjcfFolders | undefined;
  /** What the file says about an asset: its name, what to open, its licence. */
  readonly metadata?: SourceMetadata | undefined;
  /** Why not all of its references are known. */
  readonly warning?: string | undefined;
}

export interface MjcfFolders {
  readonly meshdir?: string | undefined;
  readonly texturedir?: string | undefined;
  readonly assetdir?: string | undefined;
}
