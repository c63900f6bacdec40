import createDecoderModule, {
  type DracoDecoder,
  type DracoMesh,
  type DracoModule,
} from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import { Unrenderable } from '../../errors.ts';
import type { Budget } from '../../limits.ts';
import type { Values } from './accessors.ts';
import type { Attributes } from './document.ts';

export interface DracoPrimitive {
  readonly indices: Uint32Array;
  readonly attributes: ReadonlyMap<string, Values>;
}

/** Unpacks a primitive of KHR_draco_mesh_compression. `ids` are the attributes' ids inside the Draco data by their glTF names. */
export async function decodeDraco(
  bytes: Uint8Array,
  ids: Attributes,
  budget: Budget,
): Promise<DracoPrimitive> {
  const draco = await createDecoderModule();
  const decoder = new draco.Decoder();
  const buffer = new draco.DecoderBuffer();
  buffer.Init(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.byteLength);
  const mesh = new draco.Mesh();
  if (!decoder.DecodeBufferToMesh(buffer, mesh).ok())
    throw new Unrenderable('a Draco-compressed mesh is damaged');
  budget.spend('vertices', mesh.num_points());
  budget.spend('triangles', mesh.num_faces());
  const attributes = new Map<string, Values>();
  for (const [name, id] of Object.entries(ids)) {
    const values = readAttribute(draco, decoder, mesh, id);
    if (values !== undefined) attributes.set(name, values);
  }
  return { indices: readTriangles(draco, decoder, mesh), attributes };
}

function readAttribute(
  draco: DracoModule,
  decoder: DracoDecoder,
  mesh: DracoMesh,
  id: number,
): Values | undefined {
  const attribute = decoder.GetAttributeByUniqueId(mesh, id);
  const out = new draco.DracoFloat32Array();
  if (!decoder.GetAttributeFloatForAllPoints(mesh, attribute, out)) return undefined;
  const data = Float64Array.from({ length: out.size() }, (_, index) => out.GetValue(index));
  return { width: attribute.num_components(), count: mesh.num_points(), data };
}

function readTriangles(draco: DracoModule, decoder: DracoDecoder, mesh: DracoMesh): Uint32Array {
  const count = mesh.num_faces() * 3;
  const pointer = draco._malloc(Math.max(4, count * 4));
  decoder.GetTrianglesUInt32Array(mesh, count * 4, pointer);
  return draco.HEAPU32.slice(pointer / 4, pointer / 4 + count);
}
