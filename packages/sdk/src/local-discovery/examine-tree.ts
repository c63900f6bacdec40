import { examineFiles } from '../discovery/examine-files.ts';
import type { FileFacts } from '../discovery/formats/format.ts';
import { readPart } from '../tree/read-part.ts';
import type { ScannedFile } from '../tree/scan.ts';

/** What is known about each file of a folder of this machine. */
export function examineTree(root: string, files: readonly ScannedFile[]): Map<string, FileFacts> {
  return examineFiles(files, (path, start, length) => readPart(`${root}/${path}`, start, length));
}
