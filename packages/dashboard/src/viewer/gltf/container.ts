import { isGlb, splitGlb } from '@bindery/formats';
import { readable, Unrenderable } from '@bindery/render/models';

/** A parsed glTF file: its JSON, and the binary buffer of a GLB. */
export interface GltfFile {
  readonly json: Gltf;
  readonly binary: Uint8Array<ArrayBuffer> | undefined;
}

/** The parts of glTF 2.0 that are inspected before three.js loads the file; nothing in it has been validated. */
export interface Gltf {
  readonly asset?: { readonly version?: string };
  readonly extensionsUsed?: readonly string[];
  readonly extensionsRequired?: readonly string[];
  readonly scene?: number;
  readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
  readonly nodes?: readonly GltfNode[];
  readonly meshes?: readonly { readonly primitives?: readonly GltfPrimitive[] }[];
  readonly accessors?: readonly GltfAccessor[];
  readonly bufferViews?: readonly GltfBufferView[];
  readonly buffers?: readonly { readonly uri?: string; readonly byteLength?: number }[];
  readonly images?: readonly GltfImage[];
  readonly textures?: readonly GltfTexture[];
  readonly materials?: readonly object[];
  readonly animations?: readonly { readonly name?: string }[];
  readonly extensions?: {
    readonly KHR_materials_variants?: { readonly variants?: readonly { readonly name?: string }[] };
  };
}

export interface GltfNode {
  readonly mesh?: number;
  readonly children?: readonly number[];
  readonly extensions?: {
    readonly EXT_mesh_gpu_instancing?: { readonly attributes?: Readonly<Record<string, number>> };
  };
}

export interface GltfPrimitive {
  readonly mode?: number;
  readonly indices?: number;
  readonly attributes?: Readonly<Record<string, number>>;
}

export interface GltfAccessor {
  readonly count?: number;
  readonly type?: string;
  readonly componentType?: number;
  readonly bufferView?: number;
}

export interface GltfBufferView {
  readonly buffer?: number;
  readonly byteOffset?: number;
  readonly byteLength?: number;
  readonly extensions?: Readonly<Record<string, { readonly count?: number; readonly byteStride?: number }>>;
}

export interface GltfImage {
  readonly uri?: string;
  readonly bufferView?: number;
  readonly mimeType?: string;
}

export interface GltfTexture {
  readonly source?: number;
  readonly extensions?: Readonly<Record<string, { readonly source?: number }>>;
}

/** @throws Unrenderable if it is not glTF 2.0, or is truncated. */
export function readGltfFile(bytes: Uint8Array<ArrayBuffer>): GltfFile {
  const { json: text, binary } = isGlb(bytes) ? readable(() => splitGlb(bytes)) : { json: bytes };
  const json = parse(text);
  if (!json.asset?.version?.startsWith('2.')) throw new Unrenderable('only glTF 2.0 is shown');
  return { json: withScene(json), binary };
}

/** A file without scenes shows all root nodes, as in thumbnails. */
function withScene(json: Gltf): Gltf {
  const { nodes = [], scenes = [] } = json;
  if (scenes.length > 0) return json;
  const children = new Set(nodes.flatMap((node) => node?.children ?? []));
  const roots = [...nodes.keys()].filter((index) => !children.has(index));
  return { ...json, scene: 0, scenes: [{ nodes: roots }] };
}

function parse(text: Uint8Array): Gltf {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8').decode(text));
    if (typeof json === 'object' && json !== null) return json as Gltf;
  } catch {
    throw new Unrenderable('the glTF file is not valid JSON');
  }
  throw new Unrenderable('the glTF file is not an object');
}
