import { readPart } from '../tree/read-part.ts';
import { examineFile } from './examine.ts';
import { FileReader, type ListedFile } from './folder.ts';
import type { FileFacts } from './formats/format.ts';

/** What is known about each file of a folder of this machine. */
export function examineFiles(root: string, files: readonly ListedFile[]): Map<string, FileFacts> {
  const facts = new Map<string, FileFacts>();
  for (const file of files) {
    const found = examineFile(
      new FileReader(file, (path, start, length) => readPart(`${root}/${path}`, start, length)),
    );
    if (found !== null) facts.set(file.path, found);
  }
  return facts;
}
