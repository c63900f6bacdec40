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

  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    this.#budget = budget;
  }

  /** Returns the same files with reads counted by another budget. */
  countedBy(budget: Budget): AssetFiles {
    return new AssetFiles(this.#source, budget);
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
    return bytes;
  }

  /**
   * Resolves a reference inside the file `from` to a file of this asset, or undefined.
   * Tries the directory of `from` and each directory above it as the base, with exact and then with any
   * letter case, so that `package://robot/meshes/a.stl` and references relative to a package root are found;
   * then the file with the longest common path suffix, for packages that hold a folder for each robot.
   * References with another scheme resolve to undefined.
   */
  resolve(from: string, reference: string): string | undefined {
    const steps = referenceSteps(reference);
    if (steps === undefined) return undefined;
    const base = from.split('/').slice(0, -1);
    const bases = steps.inPackage ? ancestors(base) : [base, ...ancestors(base)];
    for (const candidate of candidates(bases, steps)) {
      const found = this.#find(candidate);
      if (found !== undefined) return found;
    }
    return this.#bySuffix(steps.path);
  }

  #find(segments: readonly string[]): string | undefined {
    const path = normalise(segments);
    if (path === undefined) return undefined;
    return this.has(path) ? path : this.#lowerCase().get(path.toLowerCase());
  }

  /** The file that shares the longest path suffix with the reference: at least two segments, if it has that many. */
  #bySuffix(reference: readonly string[]): string | undefined {
    const steps = reference.filter((step) => step !== '..');
    let found: string | undefined;
    let shared = Math.min(steps.length, 2) - 1;
    for (const known of this.#byName().get(steps.at(-1) ?? '') ?? []) {
      const length = sharedTail(known.split('/'), steps);
      if (length > shared) [found, shared] = [known, length];
    }
    return found;
  }

  #nameIndex: Map<string, string[]> | undefined;

  #byName(): Map<string, string[]> {
    this.#nameIndex ??= Map.groupBy(this.paths, (path) => path.slice(path.lastIndexOf('/') + 1));
    return this.#nameIndex;
  }

  #lowerCaseIndex: Map<string, string> | undefined;

  #lowerCase(): Map<string, string> {
    if (this.#lowerCaseIndex === undefined) {
      this.#lowerCaseIndex = new Map();
      for (const path of this.paths) this.#lowerCaseIndex.set(path.toLowerCase(), path);
    }
    return this.#lowerCaseIndex;
  }
}

interface ReferenceSteps {
  readonly path: readonly string[];
  /** The name after `package://` or `model://`. */
  readonly inPackage: string | undefined;
}

function referenceSteps(reference: string): ReferenceSteps | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(reference);
  const rest = scheme ? reference.slice(scheme[0].length) : reference;
  const path = rest.split(/[/\\]+/).filter((step) => step !== '' && step !== '.');
  if (path.length === 0 || path.length > 64) return undefined;
  switch (scheme?.[1]?.toLowerCase()) {
    case undefined:
    case 'file':
      return { path, inPackage: undefined };
    case 'package':
    case 'model':
      return { path: path.slice(1), inPackage: path[0] };
    default:
      return undefined;
  }
}

/** How many trailing segments two paths have in common. */
function sharedTail(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

function* candidates(bases: readonly string[][], steps: ReferenceSteps): Generator<string[]> {
  for (const base of bases) {
    if (steps.inPackage !== undefined) yield [...base, steps.inPackage, ...steps.path];
    yield [...base, ...steps.path];
  }
}

function ancestors(base: readonly string[]): string[][] {
  return base.map((_, index) => base.slice(0, base.length - index)).concat([[]]);
}

function normalise(segments: readonly string[]): string | undefined {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') {
      if (kept.pop() === undefined) return undefined;
    } else kept.push(segment);
  }
  return kept.length === 0 ? undefined : kept.join('/');
}

/** Decodes a reference of a format that percent-encodes them; returns it unchanged if the encoding is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
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
