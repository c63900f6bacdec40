import {
  baseName,
  type ExpandedModel,
  ExpansionError,
  expandXacro,
  extensionOf,
  FileIndex,
  folderOf,
  followMjcf,
  MAX_XML_BYTES,
  type MacroElement,
  marksPackage,
  materialTextureFolders,
  type Reference,
  type Resolved,
  resolveReference,
  stemOf,
  UnreadableFileError,
} from '@bindery/formats';
import { memoised } from '@bindery/formats/memoised';
import { BoundedFileReader, type ListedFile, type ReadPart } from '../file-reader.ts';
import type { FileFacts } from '../formats/facts.ts';

/** A reference that resolves to no file of the folder, or not exactly as written. */
export interface Finding {
  readonly file: string;
  readonly line?: number | undefined;
  readonly text: string;
  /**
   * `computed`: macros that cannot be expanded tell what is meant. `unexpanded`: why they cannot here, where something
   * is not given. `faulty`: why they cannot anywhere.
   */
  readonly kind: 'missing' | 'outside' | 'letter case' | 'by its end' | 'computed' | 'unexpanded' | 'faulty';
}

/** The files that a model reaches. */
export interface Closure {
  /** Includes the model itself. */
  readonly files: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** Folders into which programs write the layers of a file. */
const LAYER_FOLDER =
  /^(?:configurations?|props|materials?|payloads?|parts|layers|looks|meshes|geometry|instanceable\w*|sub_?usds?)$/i;
const ABSOLUTE = /^(?:[a-z]:)?[/\\]/i;
const MAX_FILES = 100_000;
/** Tiles are numbered from 1001, in rows of ten. */
const FIRST_TILE = 1001;
const MAX_TILES = 100;
/** What all models of a library may take: steps of macros, and what following a reference is worth in these. */
const MAX_STEPS = 200_000_000;
const STEPS_PER_REFERENCE = 20;

/** The closures of models, each computed once. */
export class Closures {
  readonly #files: LibraryFiles;
  #steps = 0;
  readonly #maxSteps: number;

  constructor(files: LibraryFiles, maxSteps = MAX_STEPS) {
    this.#files = files;
    this.#maxSteps = maxSteps;
  }

  /** Many models that each include many files take the product of both. */
  readonly #spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > this.#maxSteps)
      throw new UnreadableFileError('the models of this library include more than can be followed');
  };

  readonly of = memoised((model: string): Closure => {
    const facts = this.#files.factsOf(model);
    const isExpanded = facts?.type === 'xacro' && facts.isComplete;
    const namesNothing = facts?.references.length === 0 && !isExpanded && !isDamagedUsd(facts);
    return namesNothing
      ? { files: new Set([model]), findings: [] }
      : new Walk(this.#files, this.#spend).from(model);
  });
}

class Walk {
  readonly #library: LibraryFiles;
  readonly #reached = new Set<string>();
  readonly #findings: Finding[] = [];
  readonly #pending: string[] = [];
  readonly #spend: (steps: number) => void;

  constructor(library: LibraryFiles, spend: (steps: number) => void) {
    this.#library = library;
    this.#spend = spend;
  }

  from(model: string): Closure {
    this.#reach(model);
    for (let path = this.#pending.pop(); path !== undefined; path = this.#pending.pop()) {
      const facts = this.#library.factsOf(path);
      if (facts?.type === 'xacro' && facts.isComplete && this.#followExpanded(path)) continue;
      if (facts?.type === 'mjcf') this.#inTime(path, () => this.#followModel(path));
      else if (isDamagedUsd(facts)) this.#reachLayers(path);
      else if (facts && facts.references.length > 0)
        this.#inTime(path, () => {
          for (const reference of facts.references) this.#follow(path, facts, reference);
        });
    }
    return { files: this.#reached, findings: this.#findings };
  }

  /** Follows references, which takes as long as the author of a file wants: what they mean is looked for everywhere. */
  #inTime(path: string, work: () => void): void {
    try {
      this.#library.during(path, work);
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#findings.push({ file: path, text: error.message, kind: 'faulty' });
    }
  }

  #reach(path: string): void {
    if (this.#reached.has(path) || this.#reached.size >= MAX_FILES) return;
    this.#reached.add(path);
    this.#pending.push(path);
  }

  /** What damaged USD refers to is not known: layers in folders next to it, named like it, or under any name if it is alone. */
  #reachLayers(path: string): void {
    const own = folderOf(path);
    const isUsd = (file: string) => /\.usd[ac]?$/i.test(file);
    const isAlone = this.#library.filesIn(own).every((other) => other === path || !isUsd(other));
    const folders = this.#library
      .foldersIn(own)
      .filter((folder) => LAYER_FOLDER.test(baseName(folder.slice(0, -1))));
    for (const folder of folders) {
      folders.push(...this.#library.foldersIn(folder));
      for (const layer of this.#library.filesIn(folder).filter(isUsd)) {
        if (isAlone || baseName(layer).startsWith(`${stemOf(path)}_`)) this.#reach(layer);
      }
    }
  }

  #follow(path: string, facts: FileFacts | undefined, reference: Reference): void {
    this.#spend(STEPS_PER_REFERENCE);
    if (reference.isComputed) {
      this.#findings.push({ file: path, line: reference.line, text: reference.text, kind: 'computed' });
      return;
    }
    if (/<UDIM>/i.test(reference.text)) {
      this.#followTiles(path, reference);
      return;
    }
    const resolved = resolveReference(
      this.#library,
      path,
      reference.text,
      facts?.type === 'ogre-material' ? materialTextureFolders(path) : undefined,
    );
    const isOutside = 'missing' in resolved && reference.isStock;
    this.#followResolved(path, reference, isOutside ? { outside: true } : resolved);
  }

  /** Follows a texture in numbered tiles, of which none has to exist. */
  #followTiles(path: string, reference: Reference): void {
    let isFound = false;
    for (let tile = FIRST_TILE; tile < FIRST_TILE + MAX_TILES; tile++) {
      const resolved = resolveReference(this.#library, path, reference.text.replace(/<UDIM>/i, String(tile)));
      if (!('path' in resolved)) continue;
      isFound = true;
      this.#reach(resolved.path);
    }
    if (!isFound) this.#recordFinding(path, reference, { missing: true });
  }

  /** Follows what a robot in macros is when they are expanded; false if they cannot be. */
  #followExpanded(model: string): boolean {
    const expanded = this.#expand(model);
    if (expanded === null) return false;
    for (const { file, text, resolved } of expanded.references)
      this.#recordFinding(file, { text, role: 'include' }, resolved);
    for (const { file, line, reference } of expanded.gaps) {
      if (reference === undefined) continue;
      const facts = this.#library.factsOf(file);
      const written = facts?.references.find((one) => one.line === line && one.role === 'include');
      this.#follow(file, facts, written ?? { text: reference, role: 'include', line });
    }
    // What is included is part of this robot, and not followed by itself.
    for (const path of expanded.files) this.#reached.add(path);
    this.#inTime(model, () => {
      for (const { file, line, name, attributes } of elementsOf(expanded.root)) {
        const text = attributes.filename ?? attributes.uri;
        if ((name !== 'mesh' && name !== 'texture') || !text) continue;
        this.#follow(file, undefined, { text, role: name, line });
      }
    });
    return true;
  }

  #expand(model: string): ExpandedModel | null {
    try {
      const read = (path: string) => this.#library.read(path);
      const files = { index: this.#library, read, spend: this.#spend };
      const expand = () => expandXacro(model, files, new Map(), 'absent');
      return this.#library.during(model, expand);
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const place =
        error instanceof ExpansionError ? error : { file: model, line: undefined, reason: error.message };
      const kind = error instanceof ExpansionError && error.isNotGiven ? 'unexpanded' : 'faulty';
      this.#findings.push({ file: place.file, line: place.line, text: place.reason, kind });
      return null;
    }
  }

  #followModel(model: string): void {
    const surveyOf = (path: string) => this.#library.factsOf(path);
    for (const { part, reference, resolved } of followMjcf(this.#library, model, surveyOf)) {
      this.#spend(STEPS_PER_REFERENCE);
      if (reference.role !== 'include') this.#followResolved(part, reference, resolved);
      else {
        // What is included is part of this model, and not followed by itself.
        this.#recordFinding(part, reference, resolved);
        if ('path' in resolved) this.#reached.add(resolved.path);
      }
    }
  }

  #followResolved(path: string, reference: Reference, resolved: Resolved): void {
    this.#recordFinding(path, reference, resolved);
    if ('path' in resolved) {
      this.#reach(resolved.path);
      this.#reachPackage(reference, resolved.path);
    } else if ('folder' in resolved) this.#reachFolder(path, reference, resolved.folder);
  }

  /** A package or model that is referred to by its name is found by what declares that. */
  #reachPackage({ text }: Reference, path: string): void {
    const folder = /^(?:file:\/\/)?(?:package|model):/i.test(text)
      ? this.#library.packageOf(path)
      : undefined;
    if (folder === undefined) return;
    for (const inside of this.#library.filesIn(folder)) if (marksPackage(inside)) this.#reach(inside);
  }

  /** A database model is opened through its `model.config`; in folders of scripts or pictures every file is reached. */
  #reachFolder(path: string, reference: Reference, folder: string): void {
    const config = `${folder}model.config`;
    const entry = this.#library.factsOf(config)?.metadata?.entries?.[0]?.file;
    const model = this.#library.find(`${folder}${entry ?? 'model.sdf'}`);
    if (model !== undefined) {
      if (this.#library.has(config)) this.#reach(config);
      this.#reach(model);
    } else if (reference.role === 'data') {
      for (const inside of this.#library.filesIn(folder)) this.#reach(inside);
    } else this.#recordFinding(path, reference, { missing: true });
  }

  #recordFinding(file: string, { text, line }: Reference, resolved: Resolved): void {
    if ('folder' in resolved) return;
    const kind = 'missing' in resolved ? 'missing' : 'outside' in resolved ? 'outside' : resolved.how;
    // Programs put the place on the machine of its author into FBX, and look beside the file themselves.
    if (kind === 'by its end' && extensionOf(file) === 'fbx' && ABSOLUTE.test(text)) return;
    if (kind !== 'as written') this.#findings.push({ file, line, text, kind });
  }
}

function isDamagedUsd(facts: FileFacts | undefined): boolean {
  return facts?.type === 'usd' && facts.certain && facts.warning !== undefined;
}

function* elementsOf(element: MacroElement): Generator<MacroElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}

/** What is known about each file. */
type KnownFacts = Pick<ReadonlyMap<string, FileFacts>, 'get'>;

/** A test of a file by its path and what its content shows. It is one function, not made anew for each use. */
export type FileChoice = (path: string, facts: FileFacts | undefined) => boolean;

/** The files of a folder with what is known about each, indexed for lookup. */
export class LibraryFiles extends FileIndex {
  readonly files: readonly ListedFile[];
  readonly #facts: KnownFacts;
  /** Macros with nothing of their own to see that are robots, since what they include is one. */
  #robots: ReadonlySet<string> | undefined;
  readonly #chosen = new WeakMap<FileChoice, Map<string, readonly string[]>>();
  readonly #read: ReadPart;
  readonly #sizes: ReadonlyMap<string, number>;

  /** `files` must be sorted by path, so that every result depends on the paths alone. */
  constructor(files: readonly ListedFile[], facts: KnownFacts, read: ReadPart) {
    const paths = files.map(({ path }) => path);
    super(
      paths,
      paths.filter(marksPackage).flatMap((path) => {
        const name = facts.get(path)?.metadata?.packageName;
        return name === undefined ? [] : [[name, folderOf(path)] as const];
      }),
    );
    this.files = files;
    this.#facts = facts;
    this.#read = read;
    this.#sizes = new Map(files.map(({ path, size }) => [path, size]));
  }

  factsOf(path: string): FileFacts | undefined {
    const facts = this.#facts.get(path);
    if (facts?.type !== 'xacro' || facts.isComplete !== false) return facts;
    this.#robots ??= this.#includersOfRobots();
    return this.#robots.has(path) ? { ...facts, isComplete: true } : facts;
  }

  /** The files directly in a folder that a test chooses, found once for each test. */
  chosenIn(folder: string, choose: FileChoice): readonly string[] {
    const known = this.#chosen.get(choose) ?? new Map<string, readonly string[]>();
    this.#chosen.set(choose, known);
    const chosen =
      known.get(folder) ?? this.filesIn(folder).filter((path) => choose(path, this.#facts.get(path)));
    known.set(folder, chosen);
    return chosen;
  }

  #includersOfRobots(): Set<string> {
    const robots: string[] = [];
    const includes: { by: string; path: string }[] = [];
    for (const { path: by } of this.files) {
      const facts = this.#facts.get(by);
      if (facts?.type !== 'xacro') continue;
      if (facts.isComplete) robots.push(by);
      else for (const path of this.#includedBy(by, facts)) includes.push({ by, path });
    }
    const includers = Map.groupBy(includes, ({ path }) => path);
    const found = new Set<string>();
    for (let robot = robots.pop(); robot !== undefined; robot = robots.pop()) {
      for (const { by } of includers.get(robot) ?? []) {
        if (found.has(by)) continue;
        found.add(by);
        robots.push(by);
      }
    }
    return found;
  }

  #includedBy(path: string, { references }: FileFacts): string[] {
    const includes = references.filter(({ role, isComputed }) => role === 'include' && !isComputed);
    try {
      return this.during(path, () =>
        includes.flatMap(({ text }) => {
          const resolved = resolveReference(this, path, text);
          return 'path' in resolved ? [resolved.path] : [];
        }),
      );
    } catch (error) {
      if (error instanceof UnreadableFileError) return [];
      throw error;
    }
  }

  /** See `ReadPart.during`. */
  during<Result>(path: string, work: () => Result): Result {
    return new BoundedFileReader({ path, size: 0 }, this.#read).during(work);
  }

  /** Reads a text whole. Throws `UnreadableFileError` if it is too large. */
  read(path: string): Uint8Array {
    return new BoundedFileReader({ path, size: this.#sizes.get(path) ?? 0 }, this.#read).whole(MAX_XML_BYTES);
  }
}
