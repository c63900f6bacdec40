import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { fromFirst } from '../model/bounds.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import type { PointCloud } from '../model/scene.ts';
import { type PlyTable, readPlyTables } from '../ply/table.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { parsePcdHeader } from './header.ts';

type Column = Float64Array | Float32Array;

export const reader: FormatReader = {
  readMesh: async (path, { files, budget }) =>
    meshOfCloud(loadPcd(asPlainText(await files.read(path)), budget)),
};

export function meshOfCloud(points: PointCloud): MeshFile {
  return { instances: [], points: [points], isYUp: false, hasMaterials: true };
}

/** Loads a point cloud of PCL: text, binary or compressed, in the colours or the intensity that it has. */
function loadPcd(bytes: Uint8Array, budget: Budget): PointCloud {
  const header = readable(() => parsePcdHeader(bytes));
  budget.spend('vertices', header.points);
  const body = header.isCompressed ? unpacked(bytes, header.bodyStart, budget) : bytes;
  const bodyStart = header.isCompressed ? 0 : header.bodyStart;
  const tables = readPlyTables(body, { ...header, bodyStart }, { admit: () => {} });
  const columns = new Map([...tables.values()].flatMap((table: PlyTable) => [...table.columns]));
  const place = ['x', 'y', 'z'].map((name) => columns.get(name));
  if (!place.every((column) => column !== undefined)) throw new Unrenderable('the PCD file has no positions');
  return cloudOf(place, colorsOf(columns));
}

/** The points that have a place; sensors leave others where they measured nothing. */
export function cloudOf(
  place: readonly ArrayLike<number>[],
  colorAt: ((point: number) => readonly [number, number, number]) | undefined,
): PointCloud {
  const count = place[0]?.length ?? 0;
  const kept: number[] = [];
  for (let point = 0; point < count; point++) {
    if (place.every((column) => Number.isFinite(column[point]))) kept.push(point);
  }
  if (kept.length === 0) throw new Unrenderable('the file has no points');
  const values = new Float64Array(kept.length * 3);
  const colors = colorAt && new Float32Array(kept.length * 3);
  for (const [row, point] of kept.entries()) {
    for (let axis = 0; axis < 3; axis++) values[row * 3 + axis] = place[axis]?.[point] ?? 0;
    if (colors !== undefined && colorAt !== undefined) colors.set(colorAt(point).map(srgbToLinear), row * 3);
  }
  return { ...fromFirst(values), colors };
}

/** From dark to light over the range of values. */
export function greyRamp(values: ArrayLike<number>): (point: number) => readonly [number, number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let point = 0; point < values.length; point++) {
    const value = values[point] as number;
    if (value < low) low = value;
    if (value > high && value < Number.POSITIVE_INFINITY) high = value;
  }
  const range = high - low || 1;
  return (point) => {
    const light = 0.15 + 0.75 * Math.min(1, Math.max(0, ((values[point] as number) - low) / range));
    return [light, light, light];
  };
}

function colorsOf(columns: ReadonlyMap<string, Column>) {
  const packed = columns.get('rgb') ?? columns.get('rgba');
  if (packed !== undefined) {
    // Text holds the fraction whose bits are the colour.
    const bits =
      packed instanceof Float32Array
        ? new Uint32Array(packed.buffer, packed.byteOffset, packed.length)
        : packed;
    return (point: number) => {
      const value = bits[point] as number;
      return [((value >>> 16) & 255) / 255, ((value >>> 8) & 255) / 255, (value & 255) / 255] as const;
    };
  }
  const intensity = columns.get('intensity') ?? columns.get('i');
  return intensity && greyRamp(intensity);
}

/** The body of a compressed file, which begins with its size and the size of what it holds. */
function unpacked(bytes: Uint8Array, start: number, budget: Budget): Uint8Array {
  if (start + 8 > bytes.byteLength) throw new Unrenderable(CUT);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const [packed, size] = [view.getUint32(0, true), view.getUint32(4, true)];
  budget.spend('inputBytes', size);
  return unpackLzf(bytes.subarray(start + 8, start + 8 + packed), size);
}

const CUT = 'the PCD file is cut off';

/** Unpacks what LibLZF packed: runs of bytes, and copies of earlier ones. */
function unpackLzf(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let [from, to] = [0, 0];
  const next = () => {
    if (from >= packed.length) throw new Unrenderable(CUT);
    return packed[from++] as number;
  };
  while (from < packed.length) {
    const control = next();
    if (control < 32) {
      for (let k = 0; k <= control && to < size; k++) out[to++] = next();
      continue;
    }
    const short = control >> 5;
    const length = (short === 7 ? 7 + next() : short) + 2;
    const earlier = to - ((control & 31) << 8) - next() - 1;
    if (earlier < 0) throw new Unrenderable('the PCD file is damaged');
    for (let k = 0; k < length && to < size; k++) out[to++] = out[earlier + k] as number;
  }
  if (to < size) throw new Unrenderable(CUT);
  return out;
}
