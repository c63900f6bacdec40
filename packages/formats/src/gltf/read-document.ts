import { Accessor, type Document, type Extension, type GLTF, Logger, WebIO } from '@gltf-transform/core';
import {
  EXTMeshGPUInstancing,
  EXTMeshoptCompression,
  EXTTextureWebP,
  KHRDracoMeshCompression,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsPBRSpecularGlossiness,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRTextureTransform,
} from '@gltf-transform/extensions';
import createDracoDecoder from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import type { Budget } from '../reading/limits.ts';
import type { GltfResources } from './resources.ts';

const EXTENSIONS: readonly (typeof Extension)[] = [
  EXTMeshGPUInstancing,
  EXTMeshoptCompression,
  EXTTextureWebP,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsPBRSpecularGlossiness,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRTextureTransform,
];

/**
 * Reads the document of a glTF file. Whatever is not drawn is removed from it first, and images are not read: the URI
 * of a texture is the index of its image.
 */
export async function readDocument(
  json: GLTF.IGLTF,
  resources: GltfResources,
  budget: Budget,
): Promise<Document> {
  checkSize(json, budget);
  const buffers = await resources.readBuffers();
  const extensions = usesDraco(json) ? [...EXTENSIONS, KHRDracoMeshCompression] : EXTENSIONS;
  await MeshoptDecoder.ready;
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions([...extensions]);
  io.registerDependencies({ 'meshopt.decoder': MeshoptDecoder });
  if (usesDraco(json)) io.registerDependencies({ 'draco3d.decoder': await createDracoDecoder() });
  return io.readJSON({
    json: keepDrawnParts(json, extensions),
    resources: buffers as Record<string, Uint8Array<ArrayBuffer>>,
  });
}

/** Checks the sizes that the file declares, before memory is allocated for them. */
function checkSize(json: GLTF.IGLTF, budget: Budget): void {
  const { nodes, meshes, accessors = [], bufferViews = [], materials, textures, images } = json;
  const primitives = meshes?.flatMap((mesh) => mesh.primitives ?? []);
  const lists = [nodes, primitives, accessors, bufferViews, materials, textures, images];
  for (const list of lists) budget.check('nodes', list?.length ?? 0);
  budget.check('inputBytes', sum(accessors.map(bytesOf)));
  budget.check('inputBytes', sum(bufferViews.map((view) => unpackedBytes(packing(view)))));
}

function bytesOf({ componentType, type, count }: GLTF.IAccessor): number {
  return count * Accessor.getComponentSize(componentType) * Accessor.getElementSize(type);
}

/** How a buffer view is compressed by meshopt, whose extension has two names. */
function packing({ extensions }: GLTF.IBufferView): Packing | undefined {
  return (extensions?.EXT_meshopt_compression ?? extensions?.KHR_meshopt_compression) as Packing | undefined;
}

interface Packing {
  readonly count: number;
  readonly byteStride: number;
}

function unpackedBytes(packed: Packing | undefined): number {
  return packed === undefined ? 0 : packed.count * packed.byteStride;
}

/** Sums amounts, counting negative ones as 0 so that they do not hide others. */
function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + Math.max(0, amount), 0);
}

function usesDraco({ meshes }: GLTF.IGLTF): boolean {
  const { EXTENSION_NAME } = KHRDracoMeshCompression;
  return (
    meshes?.some(({ primitives }) => primitives.some((one) => one.extensions?.[EXTENSION_NAME])) ?? false
  );
}

function keepDrawnParts(json: GLTF.IGLTF, extensions: readonly (typeof Extension)[]): GLTF.IGLTF {
  return {
    ...json,
    asset: { version: '2.0' },
    extensionsRequired: [],
    // Many files use extensions without declaring them.
    extensionsUsed: extensions.map(({ EXTENSION_NAME }) => EXTENSION_NAME),
    animations: [],
    cameras: [],
    bufferViews: json.bufferViews?.map(withOneName) ?? [],
    nodes: json.nodes?.map(({ camera: _, ...node }) => node) ?? [],
    images: json.images?.map((_, index) => ({ uri: String(index) })) ?? [],
    textures: json.textures?.map((texture) => ({ source: otherImage(texture), ...texture })) ?? [],
  };
}

function withOneName(view: GLTF.IBufferView): GLTF.IBufferView {
  const packed = packing(view);
  return packed === undefined ? view : { ...view, extensions: { EXT_meshopt_compression: packed } };
}

/** The KTX2 or DDS image of a texture, for textures that have no other. */
function otherImage({ extensions }: GLTF.ITexture): number | undefined {
  const named = extensions?.KHR_texture_basisu ?? extensions?.MSFT_texture_dds;
  return (named as { source?: number } | undefined)?.source;
}
