import type { PlyHeader } from '@bindery/formats';
import { Unrenderable } from '../../errors.ts';
import { originNear } from '../../geometry/origin.ts';
import type { Budget } from '../../limits.ts';
import type { SplatCloud } from '../../scene.ts';
import { readPlyHeader } from '../ply.ts';
import { type PlyTable, readPlyTables } from '../ply-table.ts';
import { opacityOf, SplatCloudBuilder } from './cloud.ts';
import { columnsOf } from './columns.ts';
import { readCompressedPly } from './compressed-ply.ts';

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
