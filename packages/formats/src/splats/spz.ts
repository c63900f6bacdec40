import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { halfToNumber, viewOf } from '../files/bytes.ts';
import type { SplatCloud } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { SplatCloudBuilder } from './cloud.ts';

const MAGIC = 0x5053474e;
const LEGACY_HEADER_BYTES = 16;
const HEADER_BYTES = 32;
/** The columns of every version, in the order of the file; harmonics follow and are not needed here. */
const COLUMNS = ['positions', 'alphas', 'colors', 'scales', 'rotations'] as const;

type Columns = Record<(typeof COLUMNS)[number], DataView>;

interface Header {
  readonly version: number;
  readonly count: number;
  readonly fractionalBits: number;
  readonly degree: number;
  readonly hasExtensions: boolean;
}

/** SPZ: versions 1 to 3 are one gzip stream (or its content), version 4 one Zstandard stream per column. Y is up. */
export function loadSpz(bytes: Uint8Array, budget: Budget): SplatCloud {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const content = isGzip
    ? unpacked(() => gunzipSync(bytes, { maxOutputLength: budget.limits.inputBytes }))
    : bytes;
  const header = readHeader(content);
  const builder = new SplatCloudBuilder(header.count, budget);
  const columns = header.version === 4 ? zstdColumns(content, header) : plainColumns(content, header);
  for (let splat = 0; splat < header.count; splat++) readSplat(splat, header, columns, builder);
  return builder.inAxes(axesOf(extensionsOf(content, header)));
}

function readHeader(content: Uint8Array): Header {
  if (content.byteLength < LEGACY_HEADER_BYTES)
    throw new Unrenderable('the SPZ file ends before its header does');
  const view = viewOf(content);
  const header = {
    version: view.getUint32(4, true),
    count: view.getUint32(8, true),
    fractionalBits: view.getUint8(13),
    degree: view.getUint8(12),
    hasExtensions: (view.getUint8(14) & 2) !== 0,
  };
  if (view.getUint32(0, true) !== MAGIC) throw new Unrenderable('not an SPZ file');
  if (header.version < 1 || header.version > 4)
    throw new Unrenderable(`SPZ version ${header.version} is not known`);
  return header;
}

function columnBytes({ version, count }: Header): number[] {
  return [count * (version === 1 ? 6 : 9), count, count * 3, count * 3, count * (version >= 3 ? 4 : 3)];
}

function plainColumns(content: Uint8Array, header: Header): Columns {
  let at = LEGACY_HEADER_BYTES;
  return toColumns(
    columnBytes(header).map((length) => {
      const column = content.subarray(at, at + length);
      at += length;
      return column;
    }),
    header,
  );
}

/** A table, whose offset is in the header, lists the packed and unpacked lengths of the streams that follow it. */
function zstdColumns(content: Uint8Array, header: Header): Columns {
  if (content.byteLength < HEADER_BYTES) throw new Unrenderable('the SPZ file ends before its header does');
  const view = viewOf(content);
  const table = view.getUint32(16, true);
  const streams = view.getUint8(15);
  let at = table + streams * 16;
  if (at > content.byteLength || streams < COLUMNS.length)
    throw new Unrenderable('the SPZ file has a damaged table');
  const lengths = columnBytes(header);
  return toColumns(
    lengths.map((length, index) => {
      const packed = Number(view.getBigUint64(table + index * 16, true));
      const stream = content.subarray(at, at + packed);
      at += packed;
      return unpacked(() => zstdDecompressSync(stream, { maxOutputLength: Math.max(1, length) }));
    }),
    header,
  );
}

function toColumns(columns: readonly Uint8Array[], header: Header): Columns {
  const lengths = columnBytes(header);
  if (columns.some((column, index) => column.byteLength !== lengths[index])) {
    throw new Unrenderable('the SPZ file ends before its splats do');
  }
  return Object.fromEntries(
    COLUMNS.map((name, index) => [name, viewOf(columns[index] as Uint8Array)]),
  ) as Columns;
}

function readSplat(splat: number, header: Header, columns: Columns, builder: SplatCloudBuilder): void {
  const { positions, alphas, colors, scales } = columns;
  const coordinate = (axis: number) => {
    if (header.version === 1) return halfToNumber(positions.getUint16((splat * 3 + axis) * 2, true));
    const at = (splat * 3 + axis) * 3;
    const fixed = positions.getUint16(at, true) | (positions.getInt8(at + 2) << 16);
    return fixed / 2 ** header.fractionalBits;
  };
  builder.position(splat, coordinate(0), coordinate(1), coordinate(2));
  const scale = (axis: number) => scales.getUint8(splat * 3 + axis) / 16 - 10;
  builder.logScale(splat, scale(0), scale(1), scale(2));
  const color = (channel: number) =>
    0.5 + 0.28209479177387814 * ((colors.getUint8(splat * 3 + channel) / 255 - 0.5) / 0.15);
  builder.color(splat, color(0), color(1), color(2), alphas.getUint8(splat) / 255);
  builder.rotation(splat, ...rotationOf(splat, header, columns.rotations));
}

/** Up to version 2, three bytes for x, y, z from −1 to 1; later, the three smallest components in ten bits each. */
function rotationOf(
  splat: number,
  { version }: Header,
  rotations: DataView,
): [number, number, number, number] {
  if (version < 3) {
    const part = (axis: number) => rotations.getUint8(splat * 3 + axis) / 127.5 - 1;
    const [x, y, z] = [part(0), part(1), part(2)];
    return [x, y, z, Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))];
  }
  let bits = rotations.getUint32(splat * 4, true);
  const largest = bits >>> 30;
  const parts: [number, number, number, number] = [0, 0, 0, 0];
  let rest = 1;
  for (let axis = 3; axis >= 0; axis--) {
    if (axis === largest) continue;
    const value = ((bits & 511) / 511) * Math.SQRT1_2 * (bits & 512 ? -1 : 1);
    bits >>>= 10;
    parts[axis] = value;
    rest -= value * value;
  }
  parts[largest] = Math.sqrt(Math.max(0, rest));
  return parts;
}

/** Bytes of harmonics per splat, by degree. */
const HARMONICS = [0, 9, 24, 45, 72];

/** The records after the columns, or before the table of version 4: type, length and content of each. */
function extensionsOf(content: Uint8Array, header: Header): Map<number, DataView> {
  const records = new Map<number, DataView>();
  if (!header.hasExtensions) return records;
  const view = viewOf(content);
  const lengths = [...columnBytes(header), header.count * (HARMONICS[header.degree] ?? 0)];
  const start = header.version === 4 ? HEADER_BYTES : lengths.reduce((a, b) => a + b, LEGACY_HEADER_BYTES);
  const end =
    header.version === 4 ? Math.min(view.getUint32(16, true), content.byteLength) : content.byteLength;
  for (let at = start; at + 8 <= end; ) {
    const [type, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (at + 8 + length > end) break;
    records.set(type, viewOf(content.subarray(at + 8, at + 8 + length)));
    at += 8 + length;
  }
  return records;
}

/** Says in which axes the file has its splats (github.com/nianticlabs/spz, extensions). */
const COORDINATE_SYSTEM = 0xadbe0003;
/** What each axis of a coordinate system points to, by its number: left, right, up, down, front, back. */
const SYSTEMS = ['RUB', 'LDB', 'RDB', 'LUB', 'RUB', 'LDF', 'RDF', 'LUF', 'RUF'].concat([
  'LFD',
  'RFD',
  'LFU',
  'RFU',
  'LBD',
  'RBD',
  'LBU',
  'RBU',
]);

/** The axes of the file that point right, up and back. */
function axesOf(extensions: ReadonlyMap<number, DataView>): [number, number, number] {
  const named = extensions.get(COORDINATE_SYSTEM);
  const system =
    SYSTEMS[named !== undefined && named.byteLength >= 4 ? named.getUint32(0, true) : 0] ?? 'RUB';
  const axis = (direction: string, reverse: string) =>
    system.includes(direction) ? system.indexOf(direction) + 1 : -(system.indexOf(reverse) + 1);
  return [axis('R', 'L'), axis('U', 'D'), axis('B', 'F')];
}

function unpacked(unpack: () => Uint8Array): Uint8Array {
  try {
    return unpack();
  } catch {
    throw new Unrenderable('the SPZ file is damaged, or larger unpacked than it says');
  }
}
