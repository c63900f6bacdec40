import { examineFile } from './examine.ts';
import { FileReader, type ListedFile, type ReadPart } from './file-reader.ts';
import type { FileFacts } from './formats/format.ts';

/** What is known about each file of a folder, by its path; files that discovery knows nothing about are absent. */
export function examineFiles(files: readonly ListedFile[], read: ReadPart): Map<string, FileFacts> {
  const facts = new Map<string, FileFacts>();
  for (const file of files) {
    const found = examineFile(new FileReader(file, read));
    if (found !== null) facts.set(file.path, found);
  }
  return facts;
}
