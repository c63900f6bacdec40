import { FileIndex } from '../files/file-index.ts';
import { packageNameIn } from '../files/packages.ts';
import { baseName, folderOf } from '../files/paths.ts';
import { type Resolved, resolveReference } from '../files/resolve.ts';
import { isLfsPointer, POINTER_WORDS, UnreadableFileError } from '../files/unreadable.ts';
import { Unrenderable } from './errors.ts';
import type { Budget } from './limits.ts';

/** A read-only view of the files of one asset. */
export interface FileSource {
  /** Size in bytes of every file, by its path (relative, `/`-separated). */
  readonly sizes: ReadonlyMap<string, number>;
  /** The bytes of a file named in `sizes`. */
  read(path: string): Promise<Uint8Array>;
}

/** The files of an asset as loaders see them: bounded reads, references that never leave the asset. */
export class AssetFiles {
  readonly #source: FileSource;
  readonly #budget: Budget;
  #index: FileIndex | undefined;

  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    this.#budget = budget;
  }

  get paths(): Iterable<string> {
    return this.#source.sizes.keys();
  }

  has(path: string): boolean {
    return this.#source.sizes.has(path);
  }

  /** @throws Unrenderable when the asset has no such file or the file exceeds the remaining budget. */
  async read(path: string): Promise<Uint8Array> {
    const size = this.#source.sizes.get(path);
    if (size === undefined) throw new Unrenderable(`no such file: ${toMessageText(path)}`);
    this.#budget.spend('inputBytes', size);
    const bytes = await this.#source.read(path);
    if (bytes.byteLength > size) this.#budget.spend('inputBytes', bytes.byteLength - size);
    if (isLfsPointer(bytes)) throw new Unrenderable(`it ${POINTER_WORDS}`);
    return bytes;
  }

  /** Resolves a reference inside the file `from` to a file of this asset; undefined if it has no such file. */
  resolve(from: string, reference: string, bases?: readonly string[]): string | undefined {
    const found = this.locate(from, reference, bases);
    return 'path' in found ? found.path : undefined;
  }

  /** Resolves a reference as discovery does, to a file or to a folder. */
  locate(from: string, reference: string, bases?: readonly string[]): Resolved {
    return resolveReference(this.index, from, reference, bases);
  }

  get index(): FileIndex {
    this.#index ??= new FileIndex(this.paths);
    return this.#index;
  }

  /** Makes packages known by the names that they give themselves. Robots and worlds refer to them by these. */
  async readPackageNames(): Promise<void> {
    const named: [string, string][] = [];
    for (const path of this.paths) {
      if (!/^(?:package|manifest)\.xml$/.test(baseName(path))) continue;
      const name = nameIn(await this.read(path));
      if (name !== undefined) named.push([name, folderOf(path)]);
    }
    if (named.length > 0) this.#index = new FileIndex(this.paths, named);
  }
}

function nameIn(bytes: Uint8Array): string | undefined {
  try {
    return packageNameIn(bytes);
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined;
    throw error;
  }
}

/** Makes a text fit for a message: bounded, on one line. */
export function toMessageText(text: string): string {
  const line = text.replace(/\p{Cc}/gu, '?');
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}

/** The files of an asset held in memory. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array>): FileSource {
  return {
    sizes: new Map([...files].map(([path, bytes]) => [path, bytes.byteLength])),
    read: async (path) => {
      const bytes = files.get(path);
      if (bytes === undefined) throw new Unrenderable(`no such file: ${toMessageText(path)}`);
      return bytes;
    },
  };
}
