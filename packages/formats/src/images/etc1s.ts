import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { ImageSize } from './image-size.ts';

/**
 * Decodes ETC1S, the smaller form of Basis Universal: blocks of 4 × 4 pixels that name a colour with a contrast
 * (endpoint) and a pattern (selector), both from palettes of the file.
 * https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html#basislz_gd
 */
export function decodeEtc1s(globals: Uint8Array, level: Uint8Array, { width, height }: ImageSize): Image {
  if (globals.length < GLOBAL_HEADER + IMAGE_BYTES) throw new Unrenderable(DAMAGED);
  const view = new DataView(globals.buffer, globals.byteOffset, globals.byteLength);
  const [endpointBytes, selectorBytes, tableBytes] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  // Pictures of smaller levels are described behind the first.
  const images =
    (globals.length - GLOBAL_HEADER - endpointBytes - selectorBytes - tableBytes - view.getUint32(16, true)) /
    IMAGE_BYTES;
  const start = GLOBAL_HEADER + images * IMAGE_BYTES;
  if (!(images >= 1) || !Number.isInteger(images)) throw new Unrenderable(DAMAGED);
  const part = (from: number, length: number) =>
    new Bits(globals.subarray(start + from, start + from + length));
  const palette: Palette = {
    endpoints: readEndpoints(part(0, endpointBytes), view.getUint16(0, true)),
    selectors: readSelectors(part(endpointBytes, selectorBytes), view.getUint16(2, true)),
    codes: readCodes(part(endpointBytes + selectorBytes, tableBytes)),
  };
  const slice = (at: number) => {
    const [offset, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    return new Bits(level.subarray(offset, offset + length));
  };
  const data = new Uint8Array(width * height * 4).fill(255);
  drawSlice(slice(GLOBAL_HEADER + 4), palette, { width, height }, (at, color) => data.set(color, at));
  const hasAlpha = view.getUint32(GLOBAL_HEADER + 16, true) > 0;
  if (hasAlpha) {
    drawSlice(slice(GLOBAL_HEADER + 12), palette, { width, height }, (at, color) => {
      data[at + 3] = color[1] as number;
    });
  }
  return { width, height, data };
}

const GLOBAL_HEADER = 20;
const IMAGE_BYTES = 20;
const DAMAGED = 'the KTX2 picture is damaged';

interface Palette {
  /** Four colours each, from dark to light: r, g, b. */
  readonly endpoints: readonly (readonly Uint8Array[])[];
  /** A number from 0 to 3 for each pixel. */
  readonly selectors: readonly Uint8Array[];
  readonly codes: Codes;
}

interface Codes {
  readonly prediction: Huffman;
  readonly endpointStep: Huffman;
  readonly selector: Huffman;
  readonly run: Huffman;
  readonly historySize: number;
}

/** Bits from the lowest of the first byte on; zeros behind the end, as far as a code may reach. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    const byte = this.#at >> 3;
    if (byte > this.#bytes.length + 8) throw new Unrenderable(DAMAGED);
    return ((this.#bytes[byte] ?? 0) >> (this.#at++ & 7)) & 1;
  }

  take(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++) value |= this.next() << bit;
    return value;
  }

  /** A number in groups of bits, each with a bit that says whether another follows. */
  takeGroups(size: number): number {
    let value = 0;
    for (let shift = 0; shift < 32; shift += size) {
      const group = this.take(size + 1);
      value |= (group & ((1 << size) - 1)) << shift;
      if (group >> size === 0) return value;
    }
    throw new Unrenderable(DAMAGED);
  }
}

const MAX_CODE = 16;

/** Canonical Huffman codes, as in Deflate. */
class Huffman {
  readonly #counts = new Uint16Array(MAX_CODE + 1);
  readonly #symbols: number[] = [];

  constructor(lengths: ArrayLike<number>) {
    for (let length = 1; length <= MAX_CODE; length++) {
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        this.#counts[length] = (this.#counts[length] as number) + 1;
        this.#symbols.push(symbol);
      }
    }
  }

  read(bits: Bits): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length <= MAX_CODE; length++) {
      code |= bits.next();
      const count = this.#counts[length] as number;
      if (code - first < count) return this.#symbols[index + code - first] as number;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Unrenderable(DAMAGED);
  }
}

const MAX_SYMBOLS_BITS = 14;
const LENGTH_ORDER = [17, 18, 19, 20, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16];

/** Reads lengths of codes, which are themselves coded: 17 and 18 are runs of zeros, 19 and 20 repeat the last. */
function readHuffman(bits: Bits): Huffman {
  const total = bits.take(MAX_SYMBOLS_BITS);
  if (total === 0) return new Huffman([]);
  const written = bits.take(5);
  const own = new Uint8Array(LENGTH_ORDER.length);
  for (const symbol of LENGTH_ORDER.slice(0, written)) own[symbol] = bits.take(3);
  const codes = new Huffman(own);
  const lengths = new Uint8Array(total);
  for (let at = 0; at < total; ) {
    const symbol = codes.read(bits);
    if (symbol <= 16) lengths[at++] = symbol;
    else if (symbol === 17) at += bits.take(3) + 3;
    else if (symbol === 18) at += bits.take(7) + 11;
    else {
      const times = symbol === 19 ? bits.take(2) + 3 : bits.take(7) + 7;
      lengths.fill(lengths[at - 1] ?? 0, at, at + times);
      at += times;
    }
  }
  return new Huffman(lengths);
}

/** How much lighter and darker the four colours of an endpoint are than its own. */
const CONTRASTS = [
  [-8, -2, 2, 8],
  [-17, -5, 5, 17],
  [-29, -9, 9, 29],
  [-42, -13, 13, 42],
  [-60, -18, 18, 60],
  [-80, -24, 24, 80],
  [-106, -33, 33, 106],
  [-183, -47, 47, 183],
] as const;

function readEndpoints(bits: Bits, count: number): Uint8Array[][] {
  const steps = [readHuffman(bits), readHuffman(bits), readHuffman(bits)] as const;
  const contrastStep = readHuffman(bits);
  const isGrey = bits.take(1) === 1;
  const last = [16, 16, 16];
  let contrast = 0;
  return Array.from({ length: count }, () => {
    contrast = (contrast + contrastStep.read(bits)) & 7;
    for (let channel = 0; channel < (isGrey ? 1 : 3); channel++) {
      const before = last[channel] as number;
      const step = steps[before <= 9 ? 0 : before <= 21 ? 1 : 2].read(bits);
      last[channel] = (before + step) & 31;
    }
    const base = (isGrey ? [last[0], last[0], last[0]] : last) as number[];
    return (CONTRASTS[contrast] as readonly number[]).map((lighter) =>
      Uint8Array.from(base, (value) => Math.min(255, Math.max(0, ((value << 3) | (value >> 2)) + lighter))),
    );
  });
}

function readSelectors(bits: Bits, count: number): Uint8Array[] {
  if (bits.take(1) === 1 || bits.take(1) === 1)
    throw new Unrenderable('KTX2 with shared palettes is not decoded');
  const isRaw = bits.take(1) === 1;
  const steps = isRaw ? undefined : readHuffman(bits);
  const rows = new Uint8Array(4);
  return Array.from({ length: count }, (_, selector) => {
    for (let row = 0; row < 4; row++) {
      rows[row] =
        steps === undefined || selector === 0 ? bits.take(8) : (rows[row] as number) ^ steps.read(bits);
    }
    return Uint8Array.from(
      { length: 16 },
      (_, pixel) => ((rows[pixel >> 2] as number) >> ((pixel & 3) * 2)) & 3,
    );
  });
}

function readCodes(bits: Bits): Codes {
  return {
    prediction: readHuffman(bits),
    endpointStep: readHuffman(bits),
    selector: readHuffman(bits),
    run: readHuffman(bits),
    historySize: bits.take(13),
  };
}

const REPEAT_PREDICTION = 256;
const LONG_RUN = 63;
const SHORTEST_RUN = 3;

/** Reads the blocks of a slice and calls `paint` with the place of each pixel in RGBA and its colour. */
function drawSlice(
  bits: Bits,
  { endpoints, selectors, codes }: Palette,
  { width, height }: ImageSize,
  paint: (at: number, color: Uint8Array) => void,
): void {
  const [across, down] = [Math.ceil(width / 4), Math.ceil(height / 4)];
  const nextPrediction = predictions(bits, codes.prediction, across);
  const nextPattern = patterns(bits, codes, selectors.length);
  let above = new Uint16Array(across);
  let endpoint = 0;
  for (let row = 0; row < down; row++) {
    const here = new Uint16Array(across);
    for (let column = 0; column < across; column++) {
      switch (nextPrediction(column, row)) {
        case 0:
          break;
        case 1:
          endpoint = above[column] as number;
          break;
        case 2:
          endpoint = above[column - 1] ?? 0;
          break;
        default:
          endpoint = (endpoint + codes.endpointStep.read(bits)) % Math.max(1, endpoints.length);
      }
      here[column] = endpoint;
      const colors = endpoints[endpoint];
      const pattern = selectors[nextPattern()];
      if (colors === undefined || pattern === undefined) throw new Unrenderable(DAMAGED);
      for (let pixel = 0; pixel < 16; pixel++) {
        const [x, y] = [column * 4 + (pixel & 3), row * 4 + (pixel >> 2)];
        if (x < width && y < height)
          paint((y * width + x) * 4, colors[pattern[pixel] as number] as Uint8Array);
      }
    }
    above = here;
  }
}

/** From which neighbour a block takes its endpoint: a symbol says so for two by two blocks. */
function predictions(bits: Bits, codes: Huffman, across: number): (column: number, row: number) => number {
  /** What is left for the blocks below. */
  const below = new Uint8Array(across);
  let [symbol, left, repeats] = [0, 0, 0];
  const nextSymbol = () => {
    if (repeats > 0) repeats--;
    else {
      const read = codes.read(bits);
      if (read === REPEAT_PREDICTION) repeats = bits.takeGroups(4) + SHORTEST_RUN - 1;
      else symbol = read;
    }
    return symbol;
  };
  return (column, row) => {
    if ((column & 1) === 0) {
      if ((row & 1) === 0) {
        left = nextSymbol();
        below[column] = left >> 4;
      } else left = below[column] as number;
    }
    const prediction = left & 3;
    left >>= 2;
    return prediction;
  };
}

/** The patterns of blocks: new ones, those in a history of recent ones, and runs of the most recent. */
function patterns(bits: Bits, codes: Codes, count: number): () => number {
  const history = new Uint16Array(codes.historySize);
  let [rover, run] = [codes.historySize >> 1, 0];
  /** A place in the history; −1 − n for a new pattern n, which is entered into the history. */
  const recent = () => {
    if (run > 0) {
      run--;
      return 0;
    }
    const symbol = codes.selector.read(bits);
    if (symbol === count + history.length) {
      const length = codes.run.read(bits);
      run = (length === LONG_RUN ? bits.takeGroups(7) : length) + SHORTEST_RUN - 1;
      return 0;
    }
    if (symbol >= count) return symbol - count;
    if (history.length > 0) {
      history[rover++] = symbol;
      if (rover === history.length) rover = history.length >> 1;
    }
    return -1 - symbol;
  };
  return () => {
    const place = recent();
    if (place < 0) return -1 - place;
    const found = history[place] ?? 0;
    if (place > 0) {
      const closer = place >> 1;
      history[place] = history[closer] as number;
      history[closer] = found;
    }
    return found;
  };
}
