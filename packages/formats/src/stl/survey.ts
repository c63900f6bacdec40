import type { BoundedFile, Survey } from '../survey.ts';
import { stlLayout } from './layout.ts';

/** Recognises STL: a binary file is as long as its header says, and a text file begins with `solid`. */
export function surveyStl(file: BoundedFile): Survey {
  const head = file.head(512);
  const layout = stlLayout(head, file.size);
  const isText = /^\s*solid/i.test(new TextDecoder('latin1').decode(head));
  return { type: 'stl', certain: layout.binary || isText, references: [] };
}
