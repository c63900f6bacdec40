import { Unrenderable } from '../../errors.ts';
import type { PlyTable } from '../ply-table.ts';
import type { SplatCloudBuilder } from './cloud.ts';
import { columnsOf } from './columns.ts';

const CHUNK = 256;

/**
 * SuperSplat's compressed PLY: 16 bytes per splat; positions, scales and colours as fractions of the range of their
 * chunk of 256, rotations as their three smallest components.
 * https://developer.playcanvas.com/user-manual/gaussian-splatting/formats/ply/
 */
export function readCompressedPly(vertices: PlyTable, chunks: PlyTable, builder: SplatCloudBuilder): void {
  if (chunks.count < Math.ceil(vertices.count / CHUNK))
    throw new Unrenderable('the compressed PLY has too few chunks');
  const vertex = columnsOf(vertices);
  const packed = {
    position: vertex('packed_position'),
    rotation: vertex('packed_rotation'),
    scale: vertex('packed_scale'),
    color: vertex('packed_color'),
  };
  const position = rangesOf(chunks, '', ['x', 'y', 'z']);
  const scale = rangesOf(chunks, 'scale_', ['x', 'y', 'z']);
  const color = chunks.columns.has('min_r') ? rangesOf(chunks, '', ['r', 'g', 'b']) : undefined;
  for (let splat = 0; splat < vertices.count; splat++) {
    const chunk = Math.floor(splat / CHUNK);
    const p = fractions(packed.position(splat), [11, 10, 11]);
    builder.position(splat, position[0](chunk, p[0]), position[1](chunk, p[1]), position[2](chunk, p[2]));
    const s = fractions(packed.scale(splat), [11, 10, 11]);
    builder.logScale(splat, scale[0](chunk, s[0]), scale[1](chunk, s[1]), scale[2](chunk, s[2]));
    builder.rotation(splat, ...rotationOf(packed.rotation(splat)));
    const c = packed.color(splat);
    const [red, green, blue, alpha] = [24, 16, 8, 0].map((shift) => ((c >>> shift) & 255) / 255) as [
      number,
      number,
      number,
      number,
    ];
    if (color === undefined) builder.color(splat, red, green, blue, alpha);
    else builder.color(splat, color[0](chunk, red), color[1](chunk, green), color[2](chunk, blue), alpha);
  }
}

type Range = (chunk: number, fraction: number) => number;

function rangesOf(
  chunks: PlyTable,
  prefix: string,
  axes: readonly [string, string, string],
): [Range, Range, Range] {
  const column = columnsOf(chunks);
  const range = (axis: string): Range => {
    const low = column(`min_${prefix}${axis}`);
    const high = column(`max_${prefix}${axis}`);
    return (chunk, fraction) => low(chunk) + (high(chunk) - low(chunk)) * fraction;
  };
  return [range(axes[0]), range(axes[1]), range(axes[2])];
}

/** Three fractions from the highest bits down. */
function fractions(value: number, bits: readonly [number, number, number]): [number, number, number] {
  const part = (shift: number, width: number) => ((value >>> shift) & (2 ** width - 1)) / (2 ** width - 1);
  return [part(bits[1] + bits[2], bits[0]), part(bits[2], bits[1]), part(0, bits[2])];
}

/** x, y, z, w from two bits for the index of the largest of w, x, y, z and ten bits for each of the others. */
function rotationOf(value: number): [number, number, number, number] {
  const part = (shift: number) => (((value >>> shift) & 1023) / 1023 - 0.5) * Math.SQRT2;
  const [a, b, c] = [part(20), part(10), part(0)];
  const largest = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  switch (value >>> 30) {
    case 0:
      return [a, b, c, largest];
    case 1:
      return [largest, b, c, a];
    case 2:
      return [b, largest, c, a];
    default:
      return [b, c, largest, a];
  }
}
