import { FileIndex, marksPackage } from '../files/file-index.ts';
import { packageNameIn } from '../files/packages.ts';
import { folderOf } from '../files/paths.ts';
import { type Resolved, resolveReference } from '../files/resolve.ts';
import { NotGiven } from './values.ts';

/** The files of a library, for the macros of one of them. */
export interface MacroFiles {
  readonly index: FileIndex;
  read(path: string): Uint8Array;
  /** Counts the work of many models, by throwing if it is too much; that of each one is bounded anyway. */
  spend?(steps: number): void;
}

/** The files of a library, whose packages are known by the names that they give themselves. */
export function macroFiles(paths: readonly string[], read: MacroFiles['read']): MacroFiles {
  const named = paths.flatMap((path) => {
    const name = marksPackage(path) ? packageNameIn(read(path)) : undefined;
    return name === undefined ? [] : [[name, folderOf(path)] as const];
  });
  return { index: new FileIndex(paths, named), read };
}

/** A reference to a file that macros read, and the file that it means. */
export interface ReadReference {
  readonly file: string;
  readonly text: string;
  readonly resolved: Resolved;
}

/** A file that macros name is not there. */
export class MissingFile extends NotGiven {
  /** As it was written, after evaluation. */
  readonly reference: string;

  constructor(reference: string) {
    super(`there is no file "${reference}"`);
    this.reference = reference;
  }
}

/** The files of a library, with what was read of them. */
export class ReadFiles {
  readonly paths = new Set<string>();
  readonly references: ReadReference[] = [];
  readonly #files: MacroFiles;

  constructor(files: MacroFiles) {
    this.#files = files;
  }

  /** Returns the file that a reference means, which can begin with `$(find package)`; undefined if there is none. */
  resolve(file: string, text: string): string | undefined {
    const resolved = resolveReference(this.#files.index, file, text);
    if (!('path' in resolved)) return undefined;
    this.references.push({ file, text, resolved });
    return resolved.path;
  }

  /** Returns the files that a pattern means, in order. Its wildcards match within the names of folders and files. */
  matching(file: string, pattern: string): string[] {
    const steps = pattern.split('/');
    const first = steps.findIndex(isPattern);
    const base = steps.slice(0, first).join('/');
    const folder =
      base === '' ? { folder: folderOf(file) } : resolveReference(this.#files.index, file, `${base}/`);
    if (!('folder' in folder)) return [];
    const wanted = steps.slice(first);
    return [...this.#files.index.paths]
      .filter((path) => {
        if (!path.startsWith(folder.folder)) return false;
        const names = path.slice(folder.folder.length).split('/');
        return names.length === wanted.length && wanted.every((step, at) => matches(names[at] ?? '', step));
      })
      .sort();
  }

  spend(steps: number): void {
    this.#files.spend?.(steps);
  }

  read(path: string): Uint8Array {
    this.paths.add(path);
    return this.#files.read(path);
  }
}

/** Whether a reference names files by a pattern, as shells do. */
export function isPattern(reference: string): boolean {
  return /[*?[]/.test(reference);
}

/** Matches greedily, so that no pattern takes long: only the last star is ever extended. A leading dot has to be written. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const parts = pattern.match(/\*|\[!?\]?[^\]]*\]|[\s\S]/g) ?? [];
  let [at, part] = [0, 0];
  let star: { at: number; part: number } | undefined;
  while (at < name.length) {
    if (parts[part] === '*') star = { at, part: ++part };
    else if (isOneOf(name[at] ?? '', parts[part])) [at, part] = [at + 1, part + 1];
    else if (star !== undefined) [at, part] = [++star.at, star.part];
    else return false;
  }
  return parts.slice(part).every((left) => left === '*');
}

function isOneOf(character: string, part: string | undefined): boolean {
  if (part === undefined) return false;
  if (part === '?' || part === character) return true;
  const set = /^\[(!?)([\s\S]+)\]$/.exec(part);
  if (set === null) return false;
  const ranges = set[2]?.match(/[\s\S]-[\s\S]|[\s\S]/g) ?? [];
  const isIn = ranges.some((range) => character >= (range[0] ?? '') && character <= (range.at(-1) ?? ''));
  return isIn !== (set[1] === '!');
}

/**
 * Returns what could stand in a reference for `value`, a folder or a part of a file's name, so that there is such a file:
 * for `config/ur5x/limits.yaml` the folders in `config` that have one. Sorted.
 */
export function alternativesTo(value: string, reference: string, index: FileIndex): string[] {
  const steps = reference
    .split('/')
    .filter((step) => step !== '' && !/^\.\.?$/.test(step) && !/^[a-z]+:$/i.test(step));
  const at = steps.findIndex((step) => step.includes(value));
  const [before, after] = (steps[at] ?? '').split(value);
  if (at < 0 || before === undefined || after === undefined) return [];
  const above = at === 0 ? '' : `${escaped(steps[at - 1] as string)}/`;
  // A library can be a package itself, whose folder is then not named.
  const isPackage = at === 1 && /^(?:file:\/\/)?package:/i.test(reference);
  const previous = `(?:^|/)${isPackage ? `(?:${above})?` : above}`;
  const rest = steps.slice(at + 1).map((step) => `/${escaped(step)}`);
  const pattern = new RegExp(`${previous}${escaped(before)}([^/]+)${escaped(after)}${rest.join('')}$`);
  const candidates = rest.length === 0 ? index.paths : index.findByName(steps.at(-1) ?? '');
  return [...new Set([...candidates].flatMap((path) => pattern.exec(path)?.[1] ?? []))].sort();
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
