import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { Unrenderable } from '../../errors.ts';
import { percentDecoded, shown } from '../../files.ts';
import type { LoadContext } from '../context.ts';
import type { GltfContainer } from './container.ts';
import { type GltfBufferView, integer, item, type MeshoptView } from './document.ts';

/** The bytes behind a document's buffers and buffer views, each fetched and unpacked once. */
export class GltfBuffers {
  readonly #container: GltfContainer;
  readonly #path: string;
  readonly #context: LoadContext;
  readonly #buffers = new Map<number, Promise<Uint8Array>>();
  readonly #views = new Map<number, Promise<Uint8Array>>();

  constructor(container: GltfContainer, path: string, context: LoadContext) {
    this.#container = container;
    this.#path = path;
    this.#context = context;
  }

  /** The bytes of a buffer view, decompressed. */
  view(index: number | undefined): Promise<Uint8Array> {
    const view = item(this.#container.document.bufferViews, index, 'buffer view');
    return once(this.#views, index as number, () => this.#readView(view));
  }

  /** Bytes between two elements of a buffer view, 0 where they are packed. */
  stride(index: number | undefined): number {
    const view = item(this.#container.document.bufferViews, index, 'buffer view');
    return integer(view.byteStride, 0, 'stride');
  }

  /** The bytes that a `data:` address or a reference to another file of the asset means, or undefined. */
  async resource(uri: string): Promise<Uint8Array | undefined> {
    if (uri.startsWith('data:')) return this.#inlined(uri);
    const path = this.resourcePath(uri);
    return path === undefined ? undefined : this.#context.files.read(path);
  }

  resourcePath(uri: string): string | undefined {
    return this.#context.files.resolve(this.#path, percentDecoded(uri));
  }

  /** What to call a resource: its file, or its part of the glTF file. */
  nameOf(uri: string | undefined, part: string): string {
    if (uri === undefined || uri.startsWith('data:')) return `${part} of ${this.#path}`;
    return this.resourcePath(uri) ?? uri;
  }

  #inlined(uri: string): Uint8Array {
    const comma = uri.indexOf(',');
    this.#context.budget.spend('inputBytes', uri.length);
    const encoding = uri.slice(0, comma).endsWith(';base64') ? 'base64' : 'latin1';
    const text = uri.slice(comma + 1);
    return new Uint8Array(Buffer.from(encoding === 'base64' ? text : percentDecoded(text), encoding));
  }

  async #readView(view: GltfBufferView): Promise<Uint8Array> {
    const packed = view.extensions?.EXT_meshopt_compression ?? view.extensions?.KHR_meshopt_compression;
    if (packed !== undefined) return this.#unpack(packed);
    return this.#slice(view);
  }

  async #slice(view: Pick<GltfBufferView, 'buffer' | 'byteOffset' | 'byteLength'>): Promise<Uint8Array> {
    const index = integer(view.buffer, 0, 'buffer number');
    const buffer = await once(this.#buffers, index, () => this.#readBuffer(index));
    const start = integer(view.byteOffset, 0, 'offset');
    const end = start + integer(view.byteLength, 0, 'length');
    if (end > buffer.byteLength) throw new Unrenderable('a glTF buffer is shorter than the file says');
    return buffer.subarray(start, end);
  }

  async #readBuffer(index: number): Promise<Uint8Array> {
    const { uri } = item(this.#container.document.buffers, index, 'buffer');
    if (uri === undefined) {
      if (this.#container.binary === undefined || index !== 0)
        throw new Unrenderable('a glTF buffer without data');
      return this.#container.binary;
    }
    const bytes = await this.resource(String(uri));
    if (bytes === undefined) throw new Unrenderable(`no such file: ${shown(String(uri))}`);
    return bytes;
  }

  async #unpack(view: MeshoptView): Promise<Uint8Array> {
    const source = await this.#slice(view);
    const count = integer(view.count, 0, 'count');
    const stride = integer(view.byteStride, 0, 'stride');
    if (stride === 0 || stride > 256) throw new Unrenderable('a compressed glTF buffer of impossible stride');
    this.#context.budget.spend('inputBytes', count * stride);
    const mode = MODES.find((name) => name === view.mode);
    const filter = FILTERS.find((name) => name === (view.filter ?? 'NONE'));
    if (mode === undefined || filter === undefined)
      throw new Unrenderable('a glTF buffer of unknown compression');
    const target = new Uint8Array(count * stride);
    await MeshoptDecoder.ready;
    try {
      MeshoptDecoder.decodeGltfBuffer(target, count, stride, source, mode, filter);
    } catch {
      throw new Unrenderable('a compressed glTF buffer is damaged');
    }
    return target;
  }
}

const MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'] as const;
const FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'] as const;

function once<K, V>(cache: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}
