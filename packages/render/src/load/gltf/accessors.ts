import { Unrenderable } from '../../errors.ts';
import type { Budget } from '../../limits.ts';
import type { GltfBuffers } from './buffers.ts';
import { type GltfAccessor, type GltfDocument, integer, item } from './document.ts';

const WIDTHS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

interface ComponentType {
  readonly bytes: number;
  /** What a normalised integer is divided by. */
  readonly scale: number;
  readonly read: (view: DataView, at: number) => number;
}

const COMPONENTS: Readonly<Record<number, ComponentType>> = {
  5120: { bytes: 1, scale: 127, read: (view, at) => view.getInt8(at) },
  5121: { bytes: 1, scale: 255, read: (view, at) => view.getUint8(at) },
  5122: { bytes: 2, scale: 32767, read: (view, at) => view.getInt16(at, true) },
  5123: { bytes: 2, scale: 65535, read: (view, at) => view.getUint16(at, true) },
  5125: { bytes: 4, scale: 4294967295, read: (view, at) => view.getUint32(at, true) },
  5126: { bytes: 4, scale: 1, read: (view, at) => view.getFloat32(at, true) },
};

/** The values of an accessor, and how many make one element. */
export interface Values {
  readonly width: number;
  readonly count: number;
  readonly data: Float64Array;
}

export class GltfAccessors {
  readonly #document: GltfDocument;
  readonly #buffers: GltfBuffers;
  readonly #budget: Budget;

  constructor(document: GltfDocument, buffers: GltfBuffers, budget: Budget) {
    this.#document = document;
    this.#buffers = buffers;
    this.#budget = budget;
  }

  /** Elements of an accessor, normalised integers as fractions, sparse ones filled in. */
  async values(index: number | undefined): Promise<Values> {
    const accessor = item(this.#document.accessors, index, 'accessor');
    const width = WIDTHS[accessor.type ?? ''];
    const component = COMPONENTS[accessor.componentType ?? 0];
    if (width === undefined || component === undefined)
      throw new Unrenderable('a glTF accessor of unknown type');
    const count = integer(accessor.count, 0, 'count');
    this.#budget.spend('vertices', count);
    const data =
      accessor.bufferView === undefined
        ? new Float64Array(count * width)
        : await this.#dense(accessor, width, component, count);
    if (accessor.sparse !== undefined) await this.#fillIn(accessor, width, component, count, data);
    return { width, count, data };
  }

  async #dense(
    accessor: GltfAccessor,
    width: number,
    component: ComponentType,
    count: number,
  ): Promise<Float64Array> {
    const bytes = await this.#buffers.view(accessor.bufferView);
    const stride = this.#buffers.stride(accessor.bufferView) || width * component.bytes;
    const start = integer(accessor.byteOffset, 0, 'offset');
    return readElements(bytes, start, stride, width, component, count, accessor.normalized === true);
  }

  async #fillIn(
    accessor: GltfAccessor,
    width: number,
    component: ComponentType,
    count: number,
    data: Float64Array,
  ): Promise<void> {
    const { count: changes, indices, values } = accessor.sparse ?? {};
    const length = integer(changes, 0, 'count');
    const indexType = COMPONENTS[indices?.componentType ?? 0];
    if (indexType === undefined || length > count)
      throw new Unrenderable('a glTF accessor has bad sparse values');
    const indexBytes = await this.#buffers.view(indices?.bufferView);
    const rows = readElements(
      indexBytes,
      integer(indices?.byteOffset, 0, 'offset'),
      indexType.bytes,
      1,
      indexType,
      length,
      false,
    );
    const valueBytes = await this.#buffers.view(values?.bufferView);
    const stride = width * component.bytes;
    const changed = readElements(
      valueBytes,
      integer(values?.byteOffset, 0, 'offset'),
      stride,
      width,
      component,
      length,
      accessor.normalized === true,
    );
    for (let i = 0; i < length; i++) {
      const row = rows[i] as number;
      if (row < count) data.set(changed.subarray(i * width, (i + 1) * width), row * width);
    }
  }
}

function readElements(
  bytes: Uint8Array,
  start: number,
  stride: number,
  width: number,
  { bytes: size, scale, read }: ComponentType,
  count: number,
  normalized: boolean,
): Float64Array {
  if (count > 0 && start + (count - 1) * stride + width * size > bytes.byteLength) {
    throw new Unrenderable('a glTF buffer is shorter than the file says');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const factor = normalized ? 1 / scale : 1;
  const out = new Float64Array(count * width);
  for (let element = 0; element < count; element++) {
    for (let k = 0; k < width; k++)
      out[element * width + k] = read(view, start + element * stride + k * size) * factor;
  }
  return out;
}
