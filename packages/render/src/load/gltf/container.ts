import { Unrenderable } from '../../errors.ts';
import type { GltfDocument } from './document.ts';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

export interface GltfContainer {
  readonly document: GltfDocument;
  /** The binary chunk of a GLB file. */
  readonly binary: Uint8Array | undefined;
}

/** Takes a GLB file apart, or reads a .gltf file. */
export function openContainer(bytes: Uint8Array): GltfContainer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || view.getUint32(0, true) !== GLB_MAGIC) {
    return { document: parseDocument(bytes), binary: undefined };
  }
  let document: GltfDocument | undefined;
  let binary: Uint8Array | undefined;
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (at + 8 + length > bytes.byteLength) throw new Unrenderable('the GLB file ends before its chunks');
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === JSON_CHUNK) document ??= parseDocument(chunk);
    else if (type === BINARY_CHUNK) binary ??= chunk;
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (document === undefined) throw new Unrenderable('the GLB file has no JSON chunk');
  return { document, binary };
}

function parseDocument(bytes: Uint8Array): GltfDocument {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8').decode(bytes));
  } catch {
    throw new Unrenderable('the glTF file is not valid JSON');
  }
  if (typeof document !== 'object' || document === null)
    throw new Unrenderable('the glTF file is not a JSON object');
  const { asset } = document as GltfDocument;
  if (!String(asset?.version ?? '').startsWith('2')) throw new Unrenderable('not glTF 2.0');
  return document;
}
