import { examineFile } from './examine-file.ts';
import { BoundedFileReader, type ListedFile, type ReadPart } from './file-reader.ts';
import type { FileFacts } from './formats/format.ts';

/** Limits for all files together: bytes read, and time. Of files beyond them only the name is known. */
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_MILLISECONDS = 300_000;

/** Stores what was found in files that have not changed. */
export interface FactsStore<F extends ListedFile> {
  /** Returns undefined if nothing is stored; null for a file of no type that discovery knows. */
  get(file: F): FileFacts | null | undefined;
  set(file: F, facts: FileFacts | null): void;
}

export interface Examination {
  /** By path; files of no type that discovery knows are absent. */
  facts: ReadonlyMap<string, FileFacts>;
  /** Files that were not examined because a limit was reached. */
  unexamined: readonly string[];
}

export interface ExaminationLimits {
  bytes: number;
  milliseconds: number;
}

/** Examines each file once, in order, within the limits. */
export function examineFiles<F extends ListedFile>(
  files: readonly F[],
  read: ReadPart,
  memory?: FactsStore<F>,
  bounds: ExaminationLimits = { bytes: MAX_BYTES, milliseconds: MAX_MILLISECONDS },
): Examination {
  const facts = new Map<string, FileFacts>();
  const unexamined: string[] = [];
  const started = performance.now();
  let bytes = 0;
  const counted: ReadPart = (path, start, length) => {
    const part = read(path, start, length);
    bytes += part.byteLength;
    return part;
  };
  for (const file of files) {
    let found = memory?.get(file);
    if (found === undefined) {
      if (bytes > bounds.bytes || performance.now() - started > bounds.milliseconds) {
        unexamined.push(file.path);
        continue;
      }
      const before = bytes;
      found = examineFile(new BoundedFileReader(file, counted));
      if (bytes > before) memory?.set(file, found);
    }
    if (found !== null) facts.set(file.path, found);
  }
  return { facts, unexamined };
}
