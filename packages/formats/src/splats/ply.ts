import { originNear } from '../model/bounds.ts';
import type { SplatCloud } from '../model/scene.ts';
import type { PlyHeader } from '../ply/header.ts';
import { readPlyHeader } from '../ply/read.ts';
import { columnsOf, type PlyTable, readPlyTables } from '../ply/table.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { opacityOf, rotationWithout, SplatCloudBuilder } from './cloud.ts';

/**
 * Loads splats in PLY, in the original format or SuperSplat's compressed one. Undefined for a PLY file that holds a
 * mesh or plain points.
 */
export function loadPlySplats(bytes: Uint8Array, budget: Budget): SplatCloud | undefined {
  const header = readPlyHeader(bytes);
  if (!holdsSplats(header)) return undefined;
  const vertexCount = header.elements.find((element) => element.name === 'vertex')?.count ?? 0;
  const builder = new SplatCloudBuilder(vertexCount, budget);
  const tables = readPlyTables(bytes, header, {
    admit: (element) => {
      if (element.count > budget.limits.splats)
        throw new Unrenderable('too large: too many elements in the PLY file');
    },
    keep: (property) => !property.startsWith('f_rest_'),
  });
  const [vertices, chunks] = [tables.get('vertex'), tables.get('chunk')];
  if (vertices === undefined) throw new Unrenderable('the PLY file has no vertices');
  if (chunks !== undefined) readCompressedPly(vertices, chunks, builder);
  else readPlainPly(vertices, builder);
  return builder.fromYDown();
}

function holdsSplats({ elements }: PlyHeader): boolean {
  const properties = elements.find((element) => element.name === 'vertex')?.properties ?? [];
  return properties.some(({ name }) => name === 'scale_0' || name === 'packed_scale');
}

function readPlainPly(vertices: PlyTable, builder: SplatCloudBuilder): void {
  const column = columnsOf(vertices);
  const [x, y, z] = [column('x'), column('y'), column('z')];
  const origin = originNear(x(0), y(0), z(0));
  const scales = [column('scale_0'), column('scale_1')] as const;
  // Two-dimensional Gaussians are flat.
  const third = vertices.columns.has('scale_2') ? column('scale_2') : () => FLAT;
  const rotation = [column('rot_0'), column('rot_1'), column('rot_2'), column('rot_3')] as const;
  const opacity = column('opacity');
  const setColor = colorSetter(vertices, builder);
  for (let splat = 0; splat < vertices.count; splat++) {
    builder.position(splat, x(splat) - origin[0], y(splat) - origin[1], z(splat) - origin[2]);
    builder.logScale(splat, scales[0](splat), scales[1](splat), third(splat));
    builder.rotation(splat, rotation[1](splat), rotation[2](splat), rotation[3](splat), rotation[0](splat));
    setColor(splat, opacity(splat));
  }
}

/** The logarithm of a thickness that does not show. */
const FLAT = -20;

/** Colours are the constant terms of harmonics or, as some programs write them, plain red, green and blue. */
function colorSetter(vertices: PlyTable, builder: SplatCloudBuilder): (splat: number, logit: number) => void {
  const column = columnsOf(vertices);
  if (!vertices.columns.has('red') || vertices.columns.has('f_dc_0')) {
    const [r, g, b] = [column('f_dc_0'), column('f_dc_1'), column('f_dc_2')];
    return (splat, logit) => builder.harmonicColor(splat, r(splat), g(splat), b(splat), logit);
  }
  const [r, g, b] = [column('red'), column('green'), column('blue')];
  const most = vertices.columns.get('red') instanceof Float32Array ? 1 : 255;
  return (splat, logit) =>
    builder.color(splat, r(splat) / most, g(splat) / most, b(splat) / most, opacityOf(logit));
}

const CHUNK = 256;

/**
 * SuperSplat's compressed PLY: 16 bytes per splat; positions, scales and colours as fractions of the range of their
 * chunk of 256, rotations as their three smallest components.
 * https://developer.playcanvas.com/user-manual/gaussian-splatting/formats/ply/
 */
function readCompressedPly(vertices: PlyTable, chunks: PlyTable, builder: SplatCloudBuilder): void {
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
  return rotationWithout(value >>> 30, part(20), part(10), part(0));
}
