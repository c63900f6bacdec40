import { FileIndex, folderOf } from '@bindery/formats';
import type { ListedFile } from '../file-reader.ts';
import type { FileFacts } from '../formats/format.ts';

/** The files of a folder with what is known about each, indexed for lookup. */
export class LibraryFiles extends FileIndex {
  readonly files: readonly ListedFile[];
  readonly #facts: ReadonlyMap<string, FileFacts>;

  /** `files` must be sorted by path, so that every result depends on the paths alone. */
  constructor(files: readonly ListedFile[], facts: ReadonlyMap<string, FileFacts>) {
    const paths = files.map(({ path }) => path);
    super(
      paths,
      paths.flatMap((path) => {
        const name = facts.get(path)?.metadata?.packageName;
        return name === undefined ? [] : [[name, folderOf(path)] as const];
      }),
    );
    this.files = files;
    this.#facts = facts;
  }

  factsOf(path: string): FileFacts | undefined {
    return this.#facts.get(path);
  }
}
