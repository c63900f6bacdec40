import { baseName, folderOf } from './paths.ts';

/** Files that make their folder a package of ROS or a model of Gazebo, to which others refer by name. */
const MARKERS: ReadonlySet<string> = new Set(['package.xml', 'manifest.xml', 'model.config']);

/** Whether a file makes its folder a package or a model that others name. */
export function marksPackage(path: string): boolean {
  return MARKERS.has(baseName(path));
}

/** The paths of a set of files, indexed for resolving references between them. */
export class FileIndex {
  readonly #paths: ReadonlySet<string>;
  readonly #byLowerCase = new Map<string, string>();
  readonly #byName = new Map<string, string[]>();
  readonly #inFolder = new Map<string, string[]>();
  /** Folders by the names under which others refer to them: of their package or of the folder itself. */
  readonly #packages = new Map<string, string[]>();
  readonly #declared = new Set<string>();

  /** `named`: the names that packages give themselves in their `package.xml`, and their folders. */
  constructor(paths: Iterable<string>, named: Iterable<readonly [name: string, folder: string]> = []) {
    const sorted = [...paths].sort();
    this.#paths = new Set(sorted);
    for (const path of sorted) {
      const lower = path.toLowerCase();
      if (!this.#byLowerCase.has(lower)) this.#byLowerCase.set(lower, path);
      append(this.#byName, baseName(lower), path);
      append(this.#inFolder, folderOf(path), path);
      if (marksPackage(path)) this.#declared.add(folderOf(path));
    }
    for (const [name, folder] of named) append(this.#packages, name, folder);
    for (const folder of this.#folders()) {
      const name = baseName(folder.slice(0, -1));
      if (!this.packageFolders(name).includes(folder)) append(this.#packages, name, folder);
    }
  }

  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Returns the file at this path, else one whose path differs only in letter case. */
  find(path: string): string | undefined {
    return this.#paths.has(path) ? path : this.#byLowerCase.get(path.toLowerCase());
  }

  findByName(name: string): readonly string[] {
    return this.#byName.get(name.toLowerCase()) ?? [];
  }

  /** Folders, with their closing slash, that are packages or models of this name, or are only called so. */
  packageFolders(name: string): readonly string[] {
    return this.#packages.get(name) ?? [];
  }

  /** Whether a marker file makes the folder a package or a model. */
  isDeclared(folder: string): boolean {
    return this.#declared.has(folder);
  }

  /** The nearest package or model that a file is in, by its folder. */
  packageOf(path: string): string | undefined {
    for (let folder = folderOf(path); ; folder = folderOf(folder.slice(0, -1))) {
      if (this.#declared.has(folder)) return folder;
      if (folder === '') return undefined;
    }
  }

  /** The files directly in a folder, which ends with a slash. */
  filesIn(folder: string): readonly string[] {
    return this.#inFolder.get(folder) ?? [];
  }

  /** The folders directly in a folder, all with their closing slashes. */
  foldersIn(folder: string): readonly string[] {
    this.#foldersByParent ??= Map.groupBy(this.#folders(), (one) => folderOf(one.slice(0, -1)));
    return this.#foldersByParent.get(folder) ?? [];
  }

  #foldersByParent: Map<string, string[]> | undefined;

  hasFolder(folder: string): boolean {
    return this.#folders().has(folder);
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

/** Adds a value to the list of a key. */
export function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
