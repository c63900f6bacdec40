import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './format.ts';

const HEADER = 84;
const TRIANGLE = 50;

/** Recognises STL: the size of a binary file follows from its header, and a text file begins with `solid`. */
export function readStl(file: BoundedFileReader): FileFacts {
  const head = file.head(HEADER);
  const isText = new TextDecoder('latin1').decode(head).trimStart().startsWith('solid');
  const isBinary =
    head.byteLength === HEADER &&
    file.size >= HEADER + TRIANGLE * new DataView(head.buffer, head.byteOffset).getUint32(80, true);
  return { type: 'stl', certain: isText || isBinary, references: [] };
}
