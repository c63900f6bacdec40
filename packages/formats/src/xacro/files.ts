import { FileIndex, marksPackage } from '../file-index.ts';
import { packageNameIn } from '../packages.ts';
import { folderOf } from '../paths.ts';
import { type Resolved, resolveReference } from '../resolve.ts';
import { MacroError } from './values.ts';

/** The files of a library, for the macros of one of them. */
export interface MacroFiles {
  readonly index: FileIndex;
  read(path: string): Uint8Array;
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
export class MissingFile extends MacroError {
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

  /** Returns the files whose names a pattern fits, as a shell does, sorted. */
  matching(file: string, pattern: string): string[] {
    const steps = pattern.split('/');
    const first = steps.findIndex((step) => /[*?[]/.test(step));
    const fits = new RegExp(`(?:^|/)(${steps.slice(first).map(patternOf).join('/')})$`);
    const found = [...this.#files.index.paths].flatMap((path) => {
      const name = fits.exec(path)?.[1];
      if (name === undefined) return [];
      const text = [...steps.slice(0, first), name].join('/');
      const resolved = resolveReference(this.#files.index, file, text);
      const isThere = 'path' in resolved && resolved.path === path && resolved.how === 'as written';
      return isThere ? [{ text, path, resolved }] : [];
    });
    for (const { text, resolved } of found) this.references.push({ file, text, resolved });
    return found.map(({ path }) => path).sort();
  }

  read(path: string): Uint8Array {
    this.paths.add(path);
    return this.#files.read(path);
  }
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
  // At the root of a library the folder of a package is not named.
  const previous = at === 0 ? '(?:^|/)' : `(?:^|(?:^|/)${escaped(steps[at - 1] as string)}/)`;
  const rest = steps.slice(at + 1).map((step) => `/${escaped(step)}`);
  const pattern = new RegExp(`${previous}${escaped(before)}([^/]+)${escaped(after)}${rest.join('')}$`);
  const candidates = rest.length === 0 ? index.paths : index.findByName(steps.at(-1) ?? '');
  return [...new Set([...candidates].flatMap((path) => pattern.exec(path)?.[1] ?? []))].sort();
}

/** A step of a path with `*`, `?` and `[…]`, as a regular expression; a leading dot is to be written. */
function patternOf(step: string): string {
  const parts = step.match(/\*|\?|\[!?\]?[^\]/]*\]|[^*?[]+|\[/g) ?? [];
  const pattern = parts.map((part) => {
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length < 3 || !part.startsWith('[')) return escaped(part);
    const isNot = part.startsWith('[!');
    const characters = part.slice(isNot ? 2 : 1, -1).replace(/[\\\]^[]/g, '\\$&');
    return `[${isNot ? '^/' : ''}${characters}]`;
  });
  return (step.startsWith('.') ? '' : '(?!\\.)') + pattern.join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
