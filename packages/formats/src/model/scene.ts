import type { Matrix4 } from './matrix.ts';

/** Triangles with the attributes of their vertices. Colours are linear. */
export interface Geometry {
  /** x, y, z per vertex. */
  readonly positions: Float32Array;
  /** Three vertex indices per triangle, all within range. */
  readonly indices: Uint32Array;
  /** Unit x, y, z per vertex. */
  readonly normals: Float32Array;
  /** u, v per vertex; v runs down the image. */
  readonly uvs?: Float32Array | undefined;
  /** The second set of u, v. */
  readonly uvs1?: Float32Array | undefined;
  /** r, g, b, a per vertex, linear, 0 to 1. */
  readonly colors?: Float32Array | undefined;
}

/** One level of a texture: RGBA, 8 bits per channel, rows from the top. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export type Wrap = 'repeat' | 'mirror' | 'clamp';

export interface Texture {
  /** The image and its halvings down to one pixel. */
  readonly levels: readonly Image[];
  readonly wrapU: Wrap;
  readonly wrapV: Wrap;
  /** Which set of texture coordinates it uses. */
  readonly uvSet: 0 | 1;
  /** u' = a·u + c·v + e, v' = b·u + d·v + f. */
  readonly transform?: readonly [number, number, number, number, number, number] | undefined;
}

export type AlphaMode = 'opaque' | 'mask' | 'blend';

/** The metallic-roughness model of glTF 2.0, appendix B. Colours are linear. */
export interface Material {
  readonly baseColor: readonly [number, number, number, number];
  readonly baseColorTexture?: Texture | undefined;
  readonly metallic: number;
  readonly roughness: number;
  /** Green: roughness, blue: metallic. */
  readonly metallicRoughnessTexture?: Texture | undefined;
  readonly emissive: readonly [number, number, number];
  readonly emissiveTexture?: Texture | undefined;
  readonly normalTexture?: Texture | undefined;
  readonly normalScale: number;
  /** Red: how much ambient light reaches the surface. */
  readonly occlusionTexture?: Texture | undefined;
  readonly alphaMode: AlphaMode;
  readonly alphaCutoff: number;
  readonly doubleSided: boolean;
  readonly unlit: boolean;
}

export const DEFAULT_MATERIAL: Material = {
  baseColor: [0.62, 0.63, 0.65, 1],
  metallic: 0,
  roughness: 0.55,
  emissive: [0, 0, 0],
  normalScale: 1,
  alphaMode: 'opaque',
  alphaCutoff: 0.5,
  doubleSided: true,
  unlit: false,
};

/** The material of triangles without one: vertex colours are drawn unchanged. */
export function plainMaterial({ colors }: Geometry): Material {
  return colors === undefined ? DEFAULT_MATERIAL : { ...DEFAULT_MATERIAL, baseColor: [1, 1, 1, 1] };
}

/** Triangles where they are. */
export interface Surface {
  readonly geometry: Geometry;
  readonly transform: Matrix4;
}

export interface Instance extends Surface {
  readonly material: Material;
  /** What files call this part of themselves. */
  readonly names?: readonly string[];
  /** What moves it, in a scene with a motion. */
  readonly moves?: RigidMove | SkinnedMove;
}

/** The joint that carries a part, and where the part is in its frame. */
export interface RigidMove {
  readonly joint: number;
  readonly local: Matrix4;
}

/** The joints that carry the vertices of a part, and its vertices before they are moved. */
export interface SkinnedMove {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** With the matrices from the part to the joint, when they were bound. */
  readonly bones: readonly { readonly joint: number; readonly bound: Matrix4 }[];
  /** Four bones per vertex. */
  readonly indices: Uint16Array;
  /** Four per vertex, of 1 in sum. */
  readonly weights: Float32Array;
}

/** How joints move in time. */
export interface Motion {
  /** The places of the joints at rest, in the frame of the scene. */
  readonly joints: readonly Matrix4[];
  readonly clips: readonly MotionClip[];
}

export interface MotionClip {
  readonly name: string;
  /** In seconds, from 0. */
  readonly times: Float32Array;
  /** For each joint its places at these times. */
  readonly tracks: readonly JointTrack[];
}

export interface JointTrack {
  readonly translations: Float32Array;
  /** x, y, z, w. */
  readonly rotations: Float32Array;
  readonly scales: Float32Array;
}

/** Points without surface, drawn as small discs. */
export interface PointCloud {
  readonly positions: Float32Array;
  /** r, g, b per point, linear, 0 to 1. */
  readonly colors?: Float32Array | undefined;
  readonly transform: Matrix4;
}

/** The direction in which a model faces, in a frame whose Z points up. */
export type Front = 'x' | '-x' | 'y' | '-y';

/** Lines between points, drawn thin. */
export interface LineSet {
  readonly positions: Float32Array;
  /** Two point indices per line, all within range. */
  readonly ends: Uint32Array;
  /** Linear; opacity is ignored. */
  readonly color: Material['baseColor'];
  /** r, g, b per point, linear, 0 to 1; multiplied by `color`. */
  readonly colors?: Float32Array | undefined;
  readonly transform: Matrix4;
}

/** What the loaders of meshes and robots return. */
export interface Scene {
  /** The axis that points up in the scene's own frame. */
  readonly up: 'y' | 'z';
  /** The direction in which it faces if Z is up, X by default; with Y up it faces along Z. */
  readonly front?: Front;
  readonly instances: readonly Instance[];
  readonly lines?: readonly LineSet[];
  readonly points: readonly PointCloud[];
  readonly motion?: Motion;
  /** How many animations the file has, if that is known without reading them. */
  readonly animations?: number | undefined;
  /** The unit of length, if the format has one. */
  readonly unit?: 'm' | undefined;
  readonly robot?: RobotCounts | undefined;
  /** What the arms of a robot hold. */
  readonly hands?: readonly Hand[];
}

/** A hand or a gripper of a robot: the name of the link that it hangs on, and what of the scene is shown of it. */
export interface Hand {
  readonly name: string;
  readonly instances: readonly Instance[];
}

/** What a robot consists of. */
export interface RobotCounts {
  readonly bodies: number;
  /** Hinges and slides that can be moved on their own. */
  readonly joints: number;
  /** In kilograms. */
  readonly mass: number;
  /** Those of its joints that slide. */
  readonly slides: number;
  /** How many joints lead to each end of it. */
  readonly chains: readonly number[];
  /** The names of its bodies. */
  readonly names: readonly string[];
}

/** Gaussians in the file's own frame, Y up. */
export interface SplatCloud {
  readonly count: number;
  /** x, y, z per splat. */
  readonly positions: Float32Array;
  /** Standard deviations along the splat's axes, three per splat. */
  readonly scales: Float32Array;
  /** x, y, z, w per splat. */
  readonly rotations: Float32Array;
  /** Red, green, blue, opacity per splat, 0 to 1, display-referred as the format stores them. */
  readonly colors: Float32Array;
}
