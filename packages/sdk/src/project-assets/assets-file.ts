import { compareUtf8, userPathProblem } from '@bindery/contract/wire';
import { isMap, isNode, isScalar, isSeq, LineCounter, type Pair, parseDocument, type YAMLSeq } from 'yaml';
import { parseServerAddress } from '../client/server-urls.ts';
import { type FileProblem, ProjectFileError } from '../failures.ts';
import { trustedPart } from '../tree/names.ts';
import { formatUse, libraryOf, parseUse, type Use } from './use.ts';

export const ASSETS_FILE = 'assets.yml';
export const DEFAULT_FOLDER = 'assets';
const MAX_PROBLEMS = 20;

/** A use, and its position in the file. Lines and columns count from 1. */
export interface LocatedUse extends Use {
  line: number;
  column: number;
}

/** The contents of a project's `assets.yml`. */
export interface AssetsFile {
  /** Null: the server of the login. */
  server: string | null;
  /** Where assets are laid out, relative to the file. */
  folder: string;
  /** SPDX ids, or other texts, of licences that the project refuses. */
  denyLicenses: string[];
  uses: LocatedUse[];
}

/** Returns the uses as `assets.lock` holds them. */
export function canonicalUses(uses: readonly Use[]): string[] {
  return [...new Set(uses.map(formatUse))].sort(compareUtf8);
}

/** Parses the text of `assets.yml`. Throws `ProjectFileError` with line, column and key of each problem. */
export function parseAssetsFile(text: string): AssetsFile {
  return new AssetsFileParser(text).read();
}

class AssetsFileParser {
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #problems: FileProblem[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): AssetsFile {
    const file: AssetsFile = { server: null, folder: DEFAULT_FOLDER, denyLicenses: [], uses: [] };
    const readers: Record<string, (value: unknown) => void> = {
      server: (value) => {
        file.server = this.#server(value);
      },
      folder: (value) => {
        file.folder = this.#folder(value);
      },
      deny_licenses: (value) => {
        file.denyLicenses = this.#items(value, 'deny_licenses').flatMap((item, at) =>
          this.#string(item, `deny_licenses.${at}`),
        );
      },
      assets: (value) => {
        file.uses = this.#items(value, 'assets').flatMap((item, at) => this.#use(item, `assets.${at}`));
      },
    };
    for (const pair of this.#pairs(this.#document(), 'the document')) {
      const key = keyOf(pair);
      const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
      if (reader === undefined) this.#addProblem(pair.key, `unknown key ${JSON.stringify(key)}`);
      else reader(pair.value ?? pair.key);
    }
    this.#refuseTwoReleases(file.uses);
    if (this.#problems.length > 0) {
      throw new ProjectFileError(ASSETS_FILE, this.#problems.slice(0, MAX_PROBLEMS));
    }
    return file;
  }

  #document(): unknown {
    try {
      const document = parseDocument(this.#text, { lineCounter: this.#lines, prettyErrors: false });
      for (const { message, pos } of document.errors) this.#problems.push({ ...this.#at(pos[0]), message });
      return document.contents;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#problems.push({ line: 1, column: 1, message: 'is nested too deeply' });
      return null;
    }
  }

  #pairs(node: unknown, name: string): Pair[] {
    if (isMap(node)) return node.items;
    if (!isNothing(node)) this.#addProblem(node, `${name} must be a mapping`);
    return [];
  }

  #items(node: unknown, name: string): unknown[] {
    if (isSeq(node)) return node.items;
    if (!isNothing(node)) this.#addProblem(node, `${name} must be a list`);
    return [];
  }

  #string(node: unknown, name: string): string[] {
    if (isScalar(node) && typeof node.value === 'string' && node.value !== '') return [node.value];
    this.#addProblem(node, `${name} must be a string`);
    return [];
  }

  #server(node: unknown): string | null {
    const [text] = this.#string(node, 'server');
    if (text === undefined) return null;
    try {
      return parseServerAddress(text);
    } catch (error) {
      this.#addProblem(node, `server: ${messageOf(error)}`);
      return null;
    }
  }

  #folder(node: unknown): string {
    const [text] = this.#string(node, 'folder');
    if (text === undefined) return DEFAULT_FOLDER;
    const folder = text.replace(/\/$/, '');
    const trusted = trustedPart(folder);
    const problem =
      userPathProblem(folder) ??
      (trusted && `is in ${trusted}, where other programs find what they run or trust`);
    if (problem !== null) this.#addProblem(node, `folder: ${JSON.stringify(text)} ${problem}`);
    return folder;
  }

  #use(node: unknown, name: string): LocatedUse[] {
    if (!isMap(node)) {
      return this.#string(node, name).flatMap((text) => this.#parsedUse(node, name, text, null));
    }
    const said: Record<string, string> = {};
    for (const pair of node.items) {
      const key = keyOf(pair);
      if (key !== 'use' && key !== 'as') {
        this.#addProblem(pair.key, `unknown key ${JSON.stringify(key)} in ${name}`);
        continue;
      }
      const [text] = this.#string(pair.value ?? pair.key, `${name}.${key}`);
      if (text !== undefined) said[key] = text;
    }
    if (said.use === undefined) {
      if (!node.has('use')) this.#addProblem(node, `${name} has no "use"`);
      return [];
    }
    return this.#parsedUse(node, name, said.use, said.as ?? null);
  }

  #parsedUse(node: unknown, name: string, text: string, as: string | null): LocatedUse[] {
    try {
      return [{ ...parseUse(text, as), ...this.#place(node) }];
    } catch (error) {
      this.#addProblem(node, `${name}: ${messageOf(error)}`);
      return [];
    }
  }

  /** A project uses one release or revision of a library, so that files of two cannot collide. */
  #refuseTwoReleases(uses: readonly LocatedUse[]): void {
    const first = new Map<string, LocatedUse>();
    for (const use of uses) {
      const library = libraryOf(use);
      const before = first.get(library);
      if (before === undefined) first.set(library, use);
      else if (before.library.release !== use.library.release) {
        const { line, column } = use;
        const [here, there] = [use, before].map(({ library: { release } }) => release ?? 'no release');
        const message = `${library} is used with ${here} here and with ${there} in line ${before.line}; a project can use only one of them`;
        this.#problems.push({ line, column, message });
      }
    }
  }

  #addProblem(node: unknown, message: string): void {
    this.#problems.push({ ...this.#place(node), message });
  }

  #place(node: unknown): { line: number; column: number } {
    return isNode(node) && node.range ? this.#at(node.range[0]) : { line: 1, column: 1 };
  }

  #at(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function isNothing(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Adds a use to the text of an `assets.yml` (null: no file yet); comments and order are preserved. A use of a release
 * moves the others of its library to that release, since a project has one of each. Returns the same text if the use is
 * already there. Throws `ProjectFileError` if the file is invalid, or would be with the use.
 */
export function withUse(before: string | null, use: Use): string {
  const written = formatUse(use);
  const { release } = use.library;
  const text =
    before === null || release === undefined ? before : withRelease(before, libraryOf(use), release);
  if (text !== null && parseAssetsFile(text).uses.some((other) => formatUse(other) === written)) return text;
  const document = parseDocument(text ?? '', { prettyErrors: false });
  const item = use.as === null ? written : { use: formatUse({ ...use, as: null }), as: use.as };
  const items = document.get('assets');
  if (isSeq(items)) {
    items.flow = false;
    document.addIn(['assets'], document.createNode(item));
  } else document.set('assets', document.createNode([item]));
  const next = textOf(document, text ?? '');
  parseAssetsFile(next);
  return next;
}

/** Returns the text of an `assets.yml` with all uses of a library, `ns/name`, at a release. Throws `ProjectFileError`. */
export function withRelease(text: string, library: string, release: string): string {
  if (!parseAssetsFile(text).uses.some((use) => isOtherRelease(use, library, release))) return text;
  const document = parseDocument(text, { prettyErrors: false });
  const items = document.get('assets');
  for (const [at, item] of isSeq(items) ? items.items.entries() : []) {
    const use = isSeq(items) ? useAt(items, at) : null;
    if (use === null || !isOtherRelease(use, library, release)) continue;
    const moved = formatUse({ ...use, library: { ...use.library, release }, as: null });
    if (isMap(item)) item.set('use', moved);
    else if (isScalar(item)) item.value = moved;
  }
  return textOf(document, text);
}

function isOtherRelease(use: Use, library: string, release: string): boolean {
  return libraryOf(use) === library && use.library.release !== release;
}

/**
 * Removes the uses that `meant` names: by their name in the project, or by the use itself, with or without its release.
 * Returns the new text and the removed uses. Throws `ProjectFileError`.
 */
export function withoutUse(text: string, meant: string): { text: string; removed: string[] } {
  parseAssetsFile(text);
  const document = parseDocument(text, { prettyErrors: false });
  const items = document.get('assets');
  const removed: string[] = [];
  if (isSeq(items)) {
    for (let at = items.items.length - 1; at >= 0; at--) {
      const use = useAt(items, at);
      if (use === null || !matchesUse(use, meant)) continue;
      removed.unshift(formatUse(use));
      items.delete(at);
    }
  }
  if (removed.length === 0) return { text, removed };
  if (isSeq(items) && items.items.length === 0) items.flow = true;
  return { text: textOf(document, text), removed };
}

function useAt(items: YAMLSeq, at: number): Use | null {
  const item = items.items[at];
  if (isMap(item)) {
    const as = item.get('as');
    return parseUse(String(item.get('use')), as === undefined ? null : String(as));
  }
  return isScalar(item) ? parseUse(String(item.value)) : null;
}

function matchesUse(use: Use, meant: string): boolean {
  const { library, selector, as } = use;
  const plain = formatUse({ ...use, as: null });
  const anyRelease = formatUse({ ...use, library: { ...library, release: undefined }, as: null });
  const name = as ?? (selector.by === 'id' ? selector.id : null);
  return [formatUse(use), plain, anyRelease, name].includes(meant);
}

/**
 * Returns the text in its previous formatting, as far as possible: lines unfolded, lists padded as before. A mapping in
 * braces becomes one of lines, since a use in braces (`{assets: [a/b?tag=c]}`) is not the same to all readers of YAML.
 */
function textOf(document: ReturnType<typeof parseDocument>, before: string): string {
  if (isMap(document.contents)) document.contents.flow = false;
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(before) });
}
