import {
  extension,
  type PlyHeader,
  parsePlyHeader,
  SCALAR_BYTES,
  Unrenderable,
} from '@bindery/render/models';

/** Splats that a file announces. */
export interface SplatHeader {
  readonly count: number;
  /** Bytes that this many need at least. */
  readonly needed: number;
}

const SPLAT_BYTES = 32;

/**
 * What a PLY or SPLAT file announces; undefined for a PLY file without splats.
 *
 * @throws Unrenderable where the file is shorter than its header announces.
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
  if (extension(path) === 'ply') return plySplats(parsePlyHeader(bytes));
  return { count: Math.floor(bytes.byteLength / SPLAT_BYTES), needed: 0 };
}

function plySplats({ elements, bodyStart, format }: PlyHeader): SplatHeader | undefined {
  const vertices = elements.find(({ name }) => name === 'vertex');
  if (!vertices?.properties.some(({ name }) => name === 'scale_0' || name === 'packed_scale'))
    return undefined;
  // In text, a value takes a digit and a space.
  const rowBytes = (properties: PlyHeader['elements'][number]['properties']) =>
    properties.reduce(
      (sum, { type, countType }) => sum + (format === 'ascii' ? 2 : SCALAR_BYTES[countType ?? type]),
      0,
    );
  const needed = elements.reduce(
    (sum, { count, properties }) => sum + count * rowBytes(properties),
    bodyStart,
  );
  return { count: vertices.count, needed };
}
