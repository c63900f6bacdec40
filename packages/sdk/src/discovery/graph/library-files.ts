import type { ListedFile } from '../file-reader.ts';
import type { FileFacts } from '../formats/format.ts';
import { baseName, folderOf } from '../paths.ts';

/** The files of a folder with what is known about each, indexed for lookup. */
export class LibraryFiles {
  readonly files: readonly ListedFile[];
  readonly #facts: ReadonlyMap<string, FileFacts>;
  readonly #paths: ReadonlySet<string>;
  readonly #byLowerCase = new Map<string, string>();
  readonly #byName = new Map<string, string[]>();
  /** Folders by the name that other files refer to: of their package or of the folder itself. */
  readonly #packages = new Map<string, string[]>();
  readonly #inFolder = new Map<string, string[]>();

  /** `files` must be sorted by path, so that every result depends on the paths alone. */
  constructor(files: readonly ListedFile[], facts: ReadonlyMap<string, FileFacts>) {
    this.files = files;
    this.#facts = facts;
    this.#paths = new Set(files.map(({ path }) => path));
    for (const { path } of files) {
      this.#byLowerCase.set(path.toLowerCase(), path);
      append(this.#byName, baseName(path).toLowerCase(), path);
      append(this.#inFolder, folderOf(path), path);
      const name = facts.get(path)?.metadata?.packageName;
      if (name !== undefined) append(this.#packages, name, folderOf(path));
    }
    for (const folder of this.#allFolders()) append(this.#packages, baseName(folder.slice(0, -1)), folder);
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  factsOf(path: string): FileFacts | undefined {
    return this.#facts.get(path);
  }

  /** Returns the file at this path, else one whose path differs only in letter case. */
  find(path: string): string | undefined {
    return this.#paths.has(path) ? path : this.#byLowerCase.get(path.toLowerCase());
  }

  findByName(name: string): readonly string[] {
    return this.#byName.get(name.toLowerCase()) ?? [];
  }

  packageFolders(name: string): readonly string[] {
    return this.#packages.get(name) ?? [];
  }

  /** The files directly in a folder, which ends with a slash. */
  filesIn(folder: string): readonly string[] {
    return this.#inFolder.get(folder) ?? [];
  }

  hasFolder(folder: string): boolean {
    return this.#folders().has(folder);
  }

  below(folder: string): string[] {
    return this.files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path);
  }

  #allFolders(): Iterable<string> {
    return this.#folders();
  }

  #folderSet: Set<string> | undefined;

  #folders(): ReadonlySet<string> {
    if (this.#folderSet !== undefined) return this.#folderSet;
    const folders = new Set<string>();
    for (const folder of this.#inFolder.keys()) {
      for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 2) + 1) {
        const above = folder.slice(0, at);
        if (folders.has(above)) break;
        folders.add(above);
      }
    }
    this.#folderSet = folders;
    return folders;
  }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
