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
const SPZ_MAGIC = 0x5053474e;
const SPZ_HEADER_BYTES = 16;
/** Position, opacity, colour, scale and rotation of a splat in the smallest version of SPZ. */
const SPZ_BYTES = 16;

/**
 * What the header of a PLY, SPLAT or unpacked SPZ file announces; undefined for a PLY file without splats.
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
  switch (extension(path)) {
    case 'ply':
      return plySplats(parsePlyHeader(bytes));
    case 'spz':
      return spzSplats(bytes);
    default:
      return { count: Math.floor(bytes.byteLength / SPLAT_BYTES), needed: 0 };
  }
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

function spzSplats(bytes: Uint8Array): SplatHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < SPZ_HEADER_BYTES || view.getUint32(0, true) !== SPZ_MAGIC)
    throw new Unrenderable('not an SPZ file');
  const count = view.getUint32(8, true);
  return { count, needed: SPZ_HEADER_BYTES + count * SPZ_BYTES };
}
