import { UnreadableFileError } from '../files/unreadable.ts';
import type { PlyElement, PlyHeader, PlyProperty, ScalarType } from '../ply/header.ts';

const TYPES: Record<string, ScalarType> = {
  F4: 'float32',
  F8: 'float64',
  I1: 'int8',
  I2: 'int16',
  I4: 'int32',
  U1: 'uint8',
  U2: 'uint16',
  U4: 'uint32',
};

/** A PCD file described as PLY files are: rows of scalars, or for compressed files one element for each field. */
export interface PcdHeader extends PlyHeader {
  readonly isCompressed: boolean;
  readonly points: number;
}

/** Headers end within these bytes. */
export const MAX_PCD_HEADER_BYTES = 8_192;

/**
 * Reads the header of a point cloud of PCL. https://pointclouds.org/documentation/tutorials/pcd_file_format.html
 *
 * @throws UnreadableFileError
 */
export function parsePcdHeader(bytes: Uint8Array): PcdHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_PCD_HEADER_BYTES));
  const end = /^DATA[ \t]+(\w+)[ \t]*\r?\n/m.exec(text);
  if (end === null) throw new UnreadableFileError('not a PCD file: no header');
  const words = (keyword: string) =>
    new RegExp(`^${keyword}[ \\t]+(.*)$`, 'm').exec(text.slice(0, end.index))?.[1]?.trim().split(/\s+/) ?? [];
  const [kind = ''] = end.slice(1);
  if (!/^(?:ascii|binary|binary_compressed)$/.test(kind))
    throw new UnreadableFileError(`a PCD file of unknown format ${kind.slice(0, 40)}`);
  const count = (word: string | undefined) => {
    const value = Number(word);
    if (!Number.isSafeInteger(value) || value < 0) throw new UnreadableFileError('a PCD file without counts');
    return value;
  };
  const [types, sizes, counts] = [words('TYPE'), words('SIZE'), words('COUNT')];
  const points = count(words('POINTS')[0] ?? String(count(words('WIDTH')[0]) * count(words('HEIGHT')[0])));
  const isCompressed = kind === 'binary_compressed';
  const fields = words('FIELDS').map((name, at): { property: PlyProperty; times: number } => {
    const written = TYPES[`${types[at]}${sizes[at]}`];
    if (written === undefined) throw new UnreadableFileError('a PCD field of unknown type');
    // Colours are packed into the bits of a number, not all of which survive as a fraction.
    const type = kind !== 'ascii' && /^rgba?$/.test(name) && sizes[at] === '4' ? 'uint32' : written;
    const times = count(counts[at] ?? '1');
    if (times > MAX_PCD_HEADER_BYTES) throw new UnreadableFileError('a PCD field of too many values');
    return { property: { name, type }, times };
  });
  return {
    format: kind === 'ascii' ? 'ascii' : 'little',
    isCompressed,
    points,
    elements: isCompressed
      ? fields.map(({ property, times }) => elementOf(property.name, points * times, [property]))
      : [elementOf('vertex', points, fields.flatMap(repeated))],
    bodyStart: end.index + end[0].length,
    textures: [],
  };
}

function elementOf(name: string, count: number, properties: readonly PlyProperty[]): PlyElement {
  return { name, count, properties };
}

/** A field of several values is as many properties, of which the first has the field's name. */
function repeated({ property, times }: { property: PlyProperty; times: number }): PlyProperty[] {
  return Array.from({ length: times }, (_, at) =>
    at === 0 ? property : { ...property, name: `${property.name} ${at}` },
  );
}
