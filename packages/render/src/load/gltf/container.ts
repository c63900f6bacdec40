import { isGlb, splitGlb } from '@bindery/formats';
import type { GLTF } from '@gltf-transform/core';
import { readable, Unrenderable } from '../../errors.ts';

export interface GltfContainer {
  /** As in the file; only `asset.version` is checked. */
  readonly json: GLTF.IGLTF;
  /** The binary chunk of a GLB file. */
  readonly binary: Uint8Array | undefined;
}

/** Splits a GLB file into its chunks, or reads a .gltf file. */
export function openContainer(bytes: Uint8Array): GltfContainer {
  if (!isGlb(bytes)) return { json: parse(bytes), binary: undefined };
  const { json, binary } = readable(() => splitGlb(bytes));
  return { json: parse(json), binary };
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
