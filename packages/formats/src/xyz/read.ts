import { extensionOf } from '../files/paths.ts';
import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import type { PointCloud } from '../model/scene.ts';
import { cloudOf, greyRamp, meshOfCloud } from '../pcd/read.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { pointLines } from './lines.ts';

const HEAD = 65_536;
/** More numbers than this on a line are not read. */
const MAX_COLUMNS = 16;

export const reader: FormatReader = {
  readMesh: async (path, { files, budget }) =>
    meshOfCloud(loadPointLines(asPlainText(await files.read(path)), budget, extensionOf(path) === 'pts')),
};

/** Loads points of a text of numbers: x, y, z, and colours or an intensity behind them; PTS has both. */
function loadPointLines(bytes: Uint8Array, budget: Budget, isPts: boolean): PointCloud {
  const layout = pointLines(bytes.subarray(0, HEAD));
  if (layout === undefined) throw new Unrenderable('the file has no points');
  const columns = readColumns(bytes, layout.start, Math.min(layout.columns, MAX_COLUMNS), budget);
  return cloudOf(columns.slice(0, 3), colorsOf(columns, isPts && columns.length === 7 ? 4 : 3));
}

function readColumns(bytes: Uint8Array, start: number, width: number, budget: Budget): Float64Array[] {
  let lines = 1;
  for (let at = start; at < bytes.length; at++) if (bytes[at] === 10) lines++;
  budget.spend('vertices', lines);
  const columns = Array.from({ length: width }, () => new Float64Array(lines).fill(Number.NaN));
  let row = 0;
  let [column, word] = [0, ''];
  const endWord = () => {
    if (word === '') return;
    const values = columns[column++];
    if (values !== undefined) values[row] = Number(word);
    word = '';
  };
  for (let at = start; at <= bytes.length; at++) {
    const byte = bytes[at] ?? 10;
    if (byte === 10) {
      endWord();
      if (column > 0) row++;
      column = 0;
    } else if (byte <= 32 || byte === 44 || byte === 59) endWord();
    else if (word.length < 64) word += String.fromCharCode(byte);
  }
  return columns.map((values) => values.subarray(0, row));
}

/** Colours from the column `first` on; in XYZ there can be normals in their place. */
function colorsOf(columns: readonly Float64Array[], first: number) {
  const [red, green, blue] = columns.slice(first, first + 3);
  const intensity = columns.length === 4 || columns.length === 5 ? columns[3] : undefined;
  if (red === undefined || green === undefined || blue === undefined) return intensity && greyRamp(intensity);
  const largest = [red, green, blue].map(extent);
  // Normals are negative somewhere.
  if (largest.some(({ low }) => low < 0)) return undefined;
  const scale = largest.some(({ high }) => high > 1) ? 1 / 255 : 1;
  const part = (values: Float64Array, point: number) => Math.min(1, (values[point] ?? 0) * scale);
  return (point: number) => [part(red, point), part(green, point), part(blue, point)] as const;
}

function extent(values: Float64Array): { low: number; high: number } {
  let [low, high] = [0, 0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}
