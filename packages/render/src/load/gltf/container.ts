import type { GLTF } from '@gltf-transform/core';
import { Unrenderable } from '../../errors.ts';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

export interface GltfContainer {
  /** As in the file; only `asset.version` is checked. */
  readonly json: GLTF.IGLTF;
  /** The binary chunk of a GLB file. */
  readonly binary: Uint8Array | undefined;
}

/** Splits a GLB file into its chunks, or reads a .gltf file. */
export function openContainer(bytes: Uint8Array): GltfContainer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || view.getUint32(0, true) !== GLB_MAGIC) {
    return { json: parse(bytes), binary: undefined };
  }
  let json: GLTF.IGLTF | undefined;
  let binary: Uint8Array | undefined;
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (at + 8 + length > bytes.byteLength) throw new Unrenderable('the GLB file ends before its chunks');
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === JSON_CHUNK) json ??= parse(chunk);
    else if (type === BINARY_CHUNK) binary ??= chunk;
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (json === undefined) throw new Unrenderable('the GLB file has no JSON chunk');
  return { json, binary };
}

function parse(bytes: Uint8Array): GLTF.IGLTF {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8').decode(bytes));
  } catch {
    throw new Unrenderable('the glTF file is not valid JSON');
  }
  if (typeof json !== 'object' || json === null) throw new Unrenderable('the glTF file is not a JSON object');
  const { asset } = json as Partial<GLTF.IGLTF>;
  if (!String(asset?.version ?? '').startsWith('2')) throw new Unrenderable('not glTF 2.0');
  return json as GLTF.IGLTF;
}
