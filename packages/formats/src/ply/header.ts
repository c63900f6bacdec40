import { decodeText } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';

export type ScalarType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'float32' | 'float64';

const TYPES: Record<string, ScalarType> = {
  char: 'int8',
  int8: 'int8',
  uchar: 'uint8',
  uint8: 'uint8',
  short: 'int16',
  int16: 'int16',
  ushort: 'uint16',
  uint16: 'uint16',
  int: 'int32',
  int32: 'int32',
  uint: 'uint32',
  uint32: 'uint32',
  float: 'float32',
  float32: 'float32',
  double: 'float64',
  float64: 'float64',
};
/** Bytes of a value of each type. */
export const SCALAR_BYTES: Record<ScalarType, number> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
};

export interface PlyProperty {
  readonly name: string;
  readonly type: ScalarType;
  /** For a list, the type of the length in front of it. */
  readonly countType?: ScalarType | undefined;
}

export interface PlyElement {
  readonly name: string;
  readonly count: number;
  readonly properties: readonly PlyProperty[];
}

export interface PlyHeader {
  readonly format: 'ascii' | 'little' | 'big';
  readonly elements: readonly PlyElement[];
  readonly bodyStart: number;
  /** The pictures that `comment TextureFile` names. */
  readonly textures: readonly string[];
}

/** Headers end within these bytes. */
export const MAX_PLY_HEADER_BYTES = 65_536;

/** @throws UnreadableFileError */
export function parsePlyHeader(bytes: Uint8Array): PlyHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_PLY_HEADER_BYTES));
  const end = /end_header[ \t]*\r?\n/.exec(text);
  if (!/^ply\s/.test(text) || end === null) throw new UnreadableFileError('not a PLY file: no header');
  const format = /^format[ \t]+(\w+)/m.exec(text)?.[1] ?? '';
  const order = ({ ascii: 'ascii', binary_little_endian: 'little', binary_big_endian: 'big' } as const)[
    format
  ];
  if (order === undefined)
    throw new UnreadableFileError(`a PLY file of unknown format ${format.slice(0, 40)}`);
  const elements: { name: string; count: number; properties: PlyProperty[] }[] = [];
  for (const line of text.slice(0, end.index).split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'element')
      elements.push({ name: words[1] ?? '', count: countOf(words[2]), properties: [] });
    else if (words[0] === 'property') elements.at(-1)?.properties.push(propertyOf(words));
  }
  return {
    format: order,
    elements,
    bodyStart: end.index + end[0].length,
    textures: texturesIn(bytes, end.index),
  };
}

function texturesIn(bytes: Uint8Array, headerLength: number): string[] {
  const header = decodeText(bytes.subarray(0, headerLength));
  return Array.from(header.matchAll(/^comment[ \t]+TextureFile[ \t]+(\S.*)$/gim), ([, name = '']) =>
    name.trimEnd(),
  ).filter(Boolean);
}

function countOf(word: string | undefined): number {
  const count = Number(word);
  if (!Number.isSafeInteger(count) || count < 0)
    throw new UnreadableFileError('a PLY element without a count');
  return count;
}

function propertyOf(words: readonly string[]): PlyProperty {
  const isList = words[1] === 'list';
  const type = TYPES[(isList ? words[3] : words[1]) ?? ''];
  const countType = isList ? TYPES[words[2] ?? ''] : undefined;
  if (type === undefined || (isList && countType === undefined))
    throw new UnreadableFileError('a PLY property of unknown type');
  return { name: (isList ? words[4] : words[2]) ?? '', type, countType };
}
