import { BufferUtils, GLB_BUFFER, type GLTF } from '@gltf-transform/core';
import type { LoadContext } from '../context.ts';
import { percentDecoded } from '../files/text.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import { isGlb, splitGlb } from './glb.ts';

/** The bytes that a glTF file refers to: in itself, in `data:` URIs, in other files of its asset. */
export class GltfResources {
  readonly #container: GltfContainer;
  readonly #path: string;
  readonly #context: LoadContext;
  #buffers: Record<string, Uint8Array> = {};

  constructor(container: GltfContainer, path: string, context: LoadContext) {
    this.#container = container;
    this.#path = path;
    this.#context = context;
  }

  /** Reads the content of all buffers, by URI. @throws Unrenderable when one is missing. */
  async readBuffers(): Promise<Record<string, Uint8Array>> {
    const { json, binary } = this.#container;
    const buffers: Record<string, Uint8Array> = binary === undefined ? {} : { [GLB_BUFFER]: binary };
    for (const { uri, extensions } of json.buffers ?? []) {
      if (uri === undefined || uri in buffers || isFallback(extensions)) continue;
      const bytes = await this.#read(uri);
      if (bytes === undefined) throw new Unrenderable(`no such file: ${toMessageText(uri)}`);
      buffers[uri] = bytes;
    }
    this.#buffers = buffers;
    return buffers;
  }

  /** Returns the bytes of an image, undefined if the asset has no such file, and a name for it. */
  async readImage(index: number): Promise<{ name: string; bytes: Uint8Array | undefined }> {
    const { uri, bufferView } = this.#container.json.images?.[index] ?? {};
    const name =
      uri === undefined || isData(uri) ? `image ${index} of ${this.#path}` : (this.#resolve(uri) ?? uri);
    return { name, bytes: uri === undefined ? this.#view(bufferView) : await this.#read(uri) };
  }

  #view(index: number | undefined): Uint8Array {
    const view: GLTF.IBufferView | undefined = this.#container.json.bufferViews?.[index ?? -1];
    const uri = this.#container.json.buffers?.[view?.buffer ?? -1]?.uri;
    const buffer = this.#buffers[uri ?? GLB_BUFFER];
    const start = view?.byteOffset ?? 0;
    if (view === undefined || buffer === undefined)
      throw new Unrenderable('the glTF file names a buffer that does not exist');
    return buffer.subarray(start, start + view.byteLength);
  }

  async #read(uri: string): Promise<Uint8Array | undefined> {
    if (isData(uri)) {
      this.#context.budget.spend('inputBytes', uri.length);
      return BufferUtils.createBufferFromDataURI(uri);
    }
    const path = this.#resolve(uri);
    return path === undefined ? undefined : this.#context.files.read(path);
  }

  #resolve(uri: string): string | undefined {
    return this.#context.files.resolve(this.#path, percentDecoded(uri));
  }
}

/** Whether a buffer is only for readers that cannot decode meshopt data; assets can omit it. */
function isFallback(extensions: Record<string, unknown> = {}): boolean {
  return Object.values(extensions).some((one) => (one as { fallback?: boolean }).fallback === true);
}

function isData(uri: string): boolean {
  return uri.startsWith('data:');
}

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
