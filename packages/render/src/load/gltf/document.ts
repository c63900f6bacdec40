import { Unrenderable } from '../../errors.ts';

/** The parts of a glTF 2.0 document that drawing needs. Nothing in it is checked yet: read it through `item` and `integer`. */
export interface GltfDocument {
  readonly asset?: { readonly version?: string };
  readonly scene?: number;
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly nodes?: readonly GltfNode[];
  readonly meshes?: readonly GltfMesh[];
  readonly skins?: readonly { readonly joints?: readonly number[]; readonly inverseBindMatrices?: number }[];
  readonly accessors?: readonly GltfAccessor[];
  readonly bufferViews?: readonly GltfBufferView[];
  readonly buffers?: readonly {
    readonly uri?: string;
    readonly byteLength?: number;
    readonly extensions?: unknown;
  }[];
  readonly materials?: readonly GltfMaterial[];
  readonly textures?: readonly GltfTexture[];
  readonly images?: readonly { readonly uri?: string; readonly bufferView?: number }[];
  readonly samplers?: readonly { readonly wrapS?: number; readonly wrapT?: number }[];
  readonly extensionsRequired?: readonly string[];
}

export interface GltfNode {
  readonly children?: readonly number[];
  readonly matrix?: readonly number[];
  readonly translation?: readonly number[];
  readonly rotation?: readonly number[];
  readonly scale?: readonly number[];
  readonly mesh?: number;
  readonly skin?: number;
  readonly weights?: readonly number[];
  readonly extensions?: { readonly EXT_mesh_gpu_instancing?: { readonly attributes?: Attributes } };
}

export type Attributes = Readonly<Record<string, number>>;

export interface GltfMesh {
  readonly primitives?: readonly GltfPrimitive[];
  readonly weights?: readonly number[];
}

export interface GltfPrimitive {
  readonly attributes?: Attributes;
  readonly indices?: number;
  readonly material?: number;
  readonly mode?: number;
  readonly targets?: readonly Attributes[];
  readonly extensions?: {
    readonly KHR_draco_mesh_compression?: { readonly bufferView?: number; readonly attributes?: Attributes };
  };
}

export interface GltfAccessor {
  readonly bufferView?: number;
  readonly byteOffset?: number;
  readonly componentType?: number;
  readonly normalized?: boolean;
  readonly count?: number;
  readonly type?: string;
  readonly sparse?: {
    readonly count?: number;
    readonly indices?: {
      readonly bufferView?: number;
      readonly byteOffset?: number;
      readonly componentType?: number;
    };
    readonly values?: { readonly bufferView?: number; readonly byteOffset?: number };
  };
}

export interface GltfBufferView {
  readonly buffer?: number;
  readonly byteOffset?: number;
  readonly byteLength?: number;
  readonly byteStride?: number;
  readonly extensions?: {
    readonly EXT_meshopt_compression?: MeshoptView;
    readonly KHR_meshopt_compression?: MeshoptView;
  };
}

export interface MeshoptView {
  readonly buffer?: number;
  readonly byteOffset?: number;
  readonly byteLength?: number;
  readonly byteStride?: number;
  readonly count?: number;
  readonly mode?: string;
  readonly filter?: string;
}

export interface TextureInfo {
  readonly index?: number;
  readonly texCoord?: number;
  readonly scale?: number;
  readonly extensions?: {
    readonly KHR_texture_transform?: {
      readonly offset?: readonly number[];
      readonly rotation?: number;
      readonly scale?: readonly number[];
      readonly texCoord?: number;
    };
  };
}

export interface GltfMaterial {
  readonly pbrMetallicRoughness?: {
    readonly baseColorFactor?: readonly number[];
    readonly baseColorTexture?: TextureInfo;
    readonly metallicFactor?: number;
    readonly roughnessFactor?: number;
    readonly metallicRoughnessTexture?: TextureInfo;
  };
  readonly normalTexture?: TextureInfo;
  readonly occlusionTexture?: TextureInfo;
  readonly emissiveTexture?: TextureInfo;
  readonly emissiveFactor?: readonly number[];
  readonly alphaMode?: string;
  readonly alphaCutoff?: number;
  readonly doubleSided?: boolean;
  readonly extensions?: {
    readonly KHR_materials_unlit?: object;
    readonly KHR_materials_emissive_strength?: { readonly emissiveStrength?: number };
    readonly KHR_materials_transmission?: { readonly transmissionFactor?: number };
    readonly KHR_materials_pbrSpecularGlossiness?: {
      readonly diffuseFactor?: readonly number[];
      readonly diffuseTexture?: TextureInfo;
      readonly glossinessFactor?: number;
    };
  };
}

export interface GltfTexture {
  readonly source?: number;
  readonly sampler?: number;
  readonly extensions?: {
    readonly EXT_texture_webp?: { readonly source?: number };
    readonly KHR_texture_basisu?: { readonly source?: number };
  };
}

/** The item of a list that another part of the document names. @throws Unrenderable when there is none. */
export function item<T>(list: readonly T[] | undefined, index: number | undefined, what: string): T {
  const found =
    Array.isArray(list) && Number.isInteger(index) ? (list as readonly T[])[index as number] : undefined;
  if (found === undefined || found === null)
    throw new Unrenderable(`the glTF file names a ${what} that does not exist`);
  return found;
}

/** A count or an offset. @throws Unrenderable when it is anything else. */
export function integer(value: number | undefined, fallback: number, what: string): number {
  const number = value ?? fallback;
  if (!Number.isSafeInteger(number) || number < 0) throw new Unrenderable(`the glTF file has a bad ${what}`);
  return number;
}

/** The number at a place of a vector, or its fallback. */
export function component(vector: readonly number[] | undefined, index: number, fallback: number): number {
  const value = Array.isArray(vector) ? (vector as readonly unknown[])[index] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

export function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}
