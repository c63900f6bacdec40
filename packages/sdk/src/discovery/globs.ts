import { compileGlob, fixedTop, type Matches } from '../globs/glob.ts';
import type { ScannedFile } from '../tree/scan.ts';

/** Whether a path, or a folder above it, matches one of the globs. */
export function matcherWithFolders(globs: readonly string[]): Matches {
  const matches = matcher(globs);
  return (path) => {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      if (matches(path.slice(0, at))) return true;
    }
    return matches(path);
  };
}

export function matcher(globs: readonly string[]): Matches {
  const matchers = globs.map(compileGlob);
  return (path) => matchers.some((matches) => matches(path));
}

/** Files in the order of their paths, searched by glob without looking at all of them. */
export class FilesByPath {
  readonly #files: readonly ScannedFile[];
  readonly #byPath: ReadonlyMap<string, ScannedFile>;
  readonly #children = new Map<string, ScannedFile[]>();

  constructor(files: readonly ScannedFile[]) {
    this.#files = files;
    this.#byPath = new Map(files.map((file) => [file.path, file]));
    for (const file of files) this.#addToTopFolder(file);
  }

  matching(glob: string): ScannedFile[] {
    const literal = this.#byPath.get(glob);
    if (literal !== undefined) return [literal];
    const matches = matcher([glob]);
    return this.#below(fixedTop(glob)).filter(({ path }) => matches(path));
  }

  #addToTopFolder(file: ScannedFile): void {
    const top = topOf(file.path);
    const siblings = this.#children.get(top);
    if (siblings === undefined) this.#children.set(top, [file]);
    else siblings.push(file);
  }

  #below(top: string | null): readonly ScannedFile[] {
    return top === null ? this.#files : (this.#children.get(top) ?? []);
  }
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}
