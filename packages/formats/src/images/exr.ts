import { unzlibSync } from 'fflate';
import { halfToNumber } from '../files/bytes.ts';
import type { Image } from '../model/scene.ts';
import { named } from '../named.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { ImageSize } from './image-size.ts';
import { announcedSize, toneMapped } from './pixels.ts';

/** How rows are packed, with how many rows are packed together. */
const PACKING: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 3: 16 };
const RUNS = 1;
const SPECIAL_PARTS = 0x1e00;
const HALF = 1;

interface Channel {
  readonly name: string;
  readonly type: number;
  readonly bytes: number;
}

export function isExr(bytes: Uint8Array): boolean {
  return bytes[0] === 0x76 && bytes[1] === 0x2f && bytes[2] === 0x31 && bytes[3] === 0x01;
}

/**
 * Decodes OpenEXR: pictures in rows, unpacked, in runs or in ZIP, as nearly all textures are.
 * https://openexr.com/en/latest/OpenEXRFileLayout.html
 */
export function decodeExr(bytes: Uint8Array, maxPixels: number): Image {
  const size = announcedSize(bytes, maxPixels);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if ((view.getUint32(4, true) & SPECIAL_PARTS) !== 0)
      throw new Unrenderable('EXR in tiles or parts is not decoded');
    const { channels, packing, top, end } = readHeader(view);
    const rowsTogether = PACKING[packing];
    if (rowsTogether === undefined) throw new Unrenderable(`EXR in packing ${packing} is not decoded`);
    const rowBytes = channels.reduce((sum, channel) => sum + channel.bytes * size.width, 0);
    if (rowBytes === 0) throw new Unrenderable(DAMAGED);
    const pixels = new Pixels(channels, size);
    for (let chunk = 0; chunk * rowsTogether < size.height; chunk++) {
      const at = Number(view.getBigUint64(end + chunk * 8, true));
      const row = view.getInt32(at, true) - top;
      const rows = Math.min(rowsTogether, size.height - row);
      if (row < 0 || rows < 1) throw new Unrenderable(DAMAGED);
      const packed = bytes.subarray(at + 8, at + 8 + view.getUint32(at + 4, true));
      pixels.fill(row, unpack(packed, packing, rows * rowBytes), rowBytes);
    }
    return pixels.image();
  } catch (error) {
    throw error instanceof Unrenderable ? error : new Unrenderable(DAMAGED, { cause: error });
  }
}

const DAMAGED = 'the EXR picture is damaged';

function readHeader(view: DataView) {
  let at = 8;
  const word = () => {
    let text = '';
    for (let byte = view.getUint8(at++); byte !== 0; byte = view.getUint8(at++))
      text += String.fromCharCode(byte);
    return text;
  };
  const channels: Channel[] = [];
  let [packing, top] = [0, 0];
  for (let name = word(); name !== ''; name = word()) {
    word();
    const next = at + 4 + view.getUint32(at, true);
    at += 4;
    if (name === 'compression') packing = view.getUint8(at);
    if (name === 'dataWindow') top = view.getInt32(at + 4, true);
    if (name === 'channels') {
      for (let channel = word(); channel !== ''; channel = word()) {
        const type = view.getUint32(at, true);
        if (view.getUint32(at + 8, true) !== 1 || view.getUint32(at + 12, true) !== 1)
          throw new Unrenderable('EXR with colours of fewer pixels is not decoded');
        channels.push({ name: channel, type, bytes: type === HALF ? 2 : 4 });
        at += 16;
      }
    }
    at = next;
  }
  return { channels, packing, top, end: at };
}

/** Packed rows are differences, of which the even bytes precede the odd ones. */
function unpack(packed: Uint8Array, packing: number, length: number): Uint8Array {
  if (packing === 0 || packed.length === length) return packed;
  const mixed =
    packing === RUNS ? unpackRuns(packed, length) : unzlibSync(packed, { out: new Uint8Array(length) });
  for (let at = 1; at < mixed.length; at++)
    mixed[at] = (mixed[at - 1] as number) + (mixed[at] as number) - 128;
  const half = Math.ceil(mixed.length / 2);
  return Uint8Array.from(mixed, (_, at) => mixed[(at & 1 ? half : 0) + (at >> 1)] as number);
}

function unpackRuns(packed: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  for (let [at, to] = [0, 0]; at < packed.length && to < length; ) {
    const control = ((packed[at++] as number) << 24) >> 24;
    const count = control < 0 ? -control : control + 1;
    for (let k = 0; k < count && to < length; k++) out[to++] = packed[control < 0 ? at + k : at] ?? 0;
    at += control < 0 ? count : 1;
  }
  return out;
}

/** Red, green, blue and opacity, or one brightness for the first three. */
const PLACES: Readonly<Record<string, readonly number[]>> = named({
  R: [0],
  G: [1],
  B: [2],
  A: [3],
  Y: [0, 1, 2],
});

class Pixels {
  readonly #channels: readonly Channel[];
  readonly #size: ImageSize;
  readonly #values: Float32Array;

  constructor(channels: readonly Channel[], size: ImageSize) {
    this.#channels = channels;
    this.#size = size;
    this.#values = new Float32Array(size.width * size.height * 4);
    for (let at = 3; at < this.#values.length; at += 4) this.#values[at] = 1;
  }

  /** Takes over rows: in each, the values of one channel follow those of another. */
  fill(first: number, bytes: Uint8Array, rowBytes: number): void {
    const { width } = this.#size;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let row = 0; (row + 1) * rowBytes <= bytes.length; row++) {
      let at = row * rowBytes;
      for (const { name, type, bytes: size } of this.#channels) {
        for (const place of PLACES[name] ?? []) {
          for (let x = 0; x < width; x++)
            this.#values[((first + row) * width + x) * 4 + place] = valueAt(view, at + x * size, type);
        }
        at += width * size;
      }
    }
  }

  image(): Image {
    const values = this.#values;
    return toneMapped(
      this.#size,
      (pixel, channel) => values[pixel * 4 + channel] as number,
      (pixel) => values[pixel * 4 + 3] as number,
    );
  }
}

function valueAt(view: DataView, at: number, type: number): number {
  if (type === HALF) return halfToNumber(view.getUint16(at, true));
  return type === 0 ? view.getUint32(at, true) : view.getFloat32(at, true);
}
