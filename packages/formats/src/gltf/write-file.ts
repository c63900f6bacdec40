import { BufferUtils, type Document, Format, WebIO } from '@gltf-transform/core';
import {
  KHRMaterialsEmissiveStrength,
  KHRMaterialsUnlit,
  KHRTextureTransform,
} from '@gltf-transform/extensions';

const [MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK] = [0x46546c67, 2, 0x4e4f534a, 0x004e4942];
const HEADER_BYTES = 12;

/** What documents of conversions are read and written with. */
export function glbIO(): WebIO {
  return new WebIO().registerExtensions([
    KHRMaterialsEmissiveStrength,
    KHRMaterialsUnlit,
    KHRTextureTransform,
  ]);
}

/** A document in one file. The library takes nodes that are moved or turned by less than 1e-5 for unmoved; this does not. */
export async function glbFile(document: Document): Promise<Uint8Array> {
  const { json, resources } = await glbIO().writeJSON(document, { format: Format.GLB });
  for (const [index, node] of document.getRoot().listNodes().entries()) {
    const written = json.nodes?.[index];
    if (written === undefined) continue;
    written.translation ??= node.getTranslation();
    written.rotation ??= node.getRotation();
    written.scale ??= node.getScale();
  }
  const [buffer] = Object.values(resources);
  const chunks = [
    chunk(JSON_CHUNK, BufferUtils.pad(BufferUtils.encodeText(JSON.stringify(json)), 0x20)),
    ...(buffer === undefined ? [] : [chunk(BINARY_CHUNK, BufferUtils.pad(buffer, 0))]),
  ];
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, HEADER_BYTES);
  return BufferUtils.concat([BufferUtils.toView(Uint32Array.of(MAGIC, VERSION, length)), ...chunks]);
}

function chunk(type: number, bytes: Uint8Array): Uint8Array {
  return BufferUtils.concat([BufferUtils.toView(Uint32Array.of(bytes.byteLength, type)), bytes]);
}
