import { stlLayout } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './format.ts';

/** Recognises STL: a binary file is as long as its header says, and a text file begins with `solid`. */
export function readStl(file: BoundedFileReader): FileFacts {
  const head = file.head(512);
  const layout = stlLayout(head, file.size);
  const isText = /^\s*solid/i.test(new TextDecoder('latin1').decode(head));
  return { type: 'stl', certain: layout.binary || isText, references: [] };
}
