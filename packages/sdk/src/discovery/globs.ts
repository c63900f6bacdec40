import { memoised } from '@bindery/formats/memoised';
import { compileGlob, isLiteral, literalFirstSegment, type PathMatcher } from '../globs/glob.ts';
import type { ListedFile } from './file-reader.ts';

/** Returns a test of whether a path, or a folder above it, matches one of the globs. */
export function matcherWithFolders(globs: readonly string[]): PathMatcher {
  const matches = matcher(globs);
  const isChosen = memoised((folder: string): boolean => liesIn(folder) || matches(folder));
  const liesIn = (path: string): boolean => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return folder !== '' && isChosen(folder);
  };
  return (path) => liesIn(path) || matches(path);
}

export function matcher(globs: readonly string[]): PathMatcher {
  const paths = new Set(globs.filter(isLiteral));
  const matchers = globs.filter((glob) => !isLiteral(glob)).map(compileGlob);
  return (path) => paths.has(path) || matchers.some((matches) => matches(path));
}

/** Files in path order, searched by glob. If a glob's first segment is literal, only files below it are tested. */
export class FilesByPath<F extends ListedFile> {
  readonly #files: readonly F[];
  readonly #byPath: ReadonlyMap<string, F>;
  readonly #children = new Map<string, F[]>();

  constructor(files: readonly F[]) {
    this.#files = files;
    this.#byPath = new Map(files.map((file) => [file.path, file]));
    for (const file of files) this.#addToTopFolder(file);
  }

  matching(glob: string): F[] {
    const literal = this.#byPath.get(glob);
    if (literal !== undefined) return [literal];
    const matches = matcher([glob]);
    return this.#below(literalFirstSegment(glob)).filter(({ path }) => matches(path));
  }

  #addToTopFolder(file: F): void {
    const top = topOf(file.path);
    const siblings = this.#children.get(top);
    if (siblings === undefined) this.#children.set(top, [file]);
    else siblings.push(file);
  }

  #below(top: string | null): readonly F[] {
    return top === null ? this.#files : (this.#children.get(top) ?? []);
  }
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}

/** Files that `discover.assets` makes one asset: those of a folder (`root` ends with a slash) or a single file. */
export interface Group {
  root: string;
  /** Paths. */
  files: string[];
}

/** Groups files by the deepest chosen path: the file itself or a folder above it. Other files are in no group. */
export function groupFiles(files: readonly ListedFile[], chosen: PathMatcher): Group[] {
  const groups = new Map<string, Group>();
  for (const { path } of files) {
    const root = deepestChosen(path, chosen);
    if (root === null) continue;
    const group = groups.get(root);
    if (group === undefined) groups.set(root, { root, files: [path] });
    else group.files.push(path);
  }
  return [...groups.values()];
}

function deepestChosen(path: string, chosen: PathMatcher): string | null {
  if (chosen(path)) return path;
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    if (chosen(path.slice(0, at))) return path.slice(0, at + 1);
    if (at === 0) return null;
  }
  return null;
}
