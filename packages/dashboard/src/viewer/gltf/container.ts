import { isGlb, splitGlb } from '@bindery/formats';
import { readable, Unrenderable } from '@bindery/render/models';
import type { GLTF } from '@gltf-transform/core';

/** A parsed glTF file: its JSON, and the binary buffer of a GLB. */
export interface GltfFile {
  readonly json: Gltf;
  readonly binary: Uint8Array<ArrayBuffer> | undefined;
}

/** As it should be: nothing in it has been validated. */
export type Gltf = Partial<GLTF.IGLTF>;

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
