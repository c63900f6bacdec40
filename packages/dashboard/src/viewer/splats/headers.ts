import { extensionOf, type PlyHeader, SCALAR_BYTES } from '@bindery/formats';
import { readPlyHeader, Unrenderable } from '@bindery/render/models';

/** The splats that a file declares. */
export interface SplatHeader {
  readonly count: number;
  /** The minimum file size in bytes for this count. */
  readonly needed: number;
  /** Whether it has the properties of the original publication, in 32 bits, or is packed: others are not read by Spark. */
  readonly isPlain: boolean;
}

const SPLAT_BYTES = 32;

/**
 * Returns what a PLY or SPLAT file declares; undefined for a PLY file without splats.
 *
 * @throws Unrenderable if the file is shorter than its header declares.
 */
export function splatHeader(path: string, bytes: Uint8Array): SplatHeader | undefined {
  const header = announced(path, bytes);
  if (header !== undefined && header.needed > bytes.byteLength)
    throw new Unrenderable(
      `the file announces ${header.count.toLocaleString('en')} splats and ends before them`,
    );
  return header;
}

function announced(path: string, bytes: Uint8Array): SplatHeader | undefined {
  if (extensionOf(path) === 'ply') return plySplats(readPlyHeader(bytes));
  return { count: Math.floor(bytes.byteLength / SPLAT_BYTES), needed: 0, isPlain: true };
}

function plySplats({ elements, bodyStart, format }: PlyHeader): SplatHeader | undefined {
  const vertices = elements.find(({ name }) => name === 'vertex');
  if (!vertices?.properties.some(({ name }) => name === 'scale_0' || name === 'packed_scale'))
    return undefined;
  // In text, a value takes at least a digit and a space.
  const rowBytes = (properties: PlyHeader['elements'][number]['properties']) =>
    properties.reduce(
      (sum, { type, countType }) => sum + (format === 'ascii' ? 2 : SCALAR_BYTES[countType ?? type]),
      0,
    );
  const needed = elements.reduce(
    (sum, { count, properties }) => sum + count * rowBytes(properties),
    bodyStart,
  );
  const typeOf = new Map(vertices.properties.map(({ name, type }) => [name, type]));
  const isPlain =
    typeOf.has('packed_scale') ||
    (typeOf.has('f_dc_0') && typeOf.has('scale_2') && typeOf.get('x') === 'float32');
  return { count: vertices.count, needed, isPlain };
}
