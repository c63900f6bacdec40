import type { FileIndex } from '../../files/file-index.ts';
import { type Resolved, resolveReference } from '../../files/resolve.ts';
import { UnreadableFileError } from '../../files/unreadable.ts';
import { memoised } from '../../memoised.ts';
import type { Fault } from '../../verdicts.ts';
import { splitArchivePath, UsdArchive } from './archive.ts';
import { sourceOf } from './byte-cursor.ts';
import { isArchive, readLayer } from './layer.ts';
import type { Layer } from './values.ts';

/** The files among which a stage finds its layers. */
export interface UsdFiles {
  readonly index: FileIndex;
  /** Returns undefined for a file that has not been read yet; what refers to it is then left out. */
  read(path: string): Uint8Array | undefined;
  /** Layers that were read before, to which those that are read now are added. */
  readonly layers?: Map<string, Layer>;
}

/** A reference that was not followed. */
export interface UsdProblem {
  readonly layer: string;
  readonly reference: string;
  /** Completes a sentence that names the reference: "is not there". */
  readonly reason: string;
}

/** A layer with the layers that it consists of, strongest first. */
export interface LayerStack {
  readonly root: Layer;
  readonly layers: readonly Layer[];
}

const MAX_LAYERS = 10_000;
const MAX_PROBLEMS = 10_000;

/** The layers of a stage, each read once. */
export class LayerStacks {
  readonly problems: UsdProblem[] = [];
  readonly #reported = new Set<string>();
  readonly #files: UsdFiles;
  readonly #layers: Map<string, Layer>;
  readonly #used = new Set<string>();

  constructor(files: UsdFiles) {
    this.#files = files;
    this.#layers = files.layers ?? new Map();
  }

  /** What OpenUSD refuses in layers. */
  get faults(): Fault[] {
    return [...this.#layers.values()].flatMap(({ path: file, fault }) => (fault ? [{ file, ...fault }] : []));
  }

  /** The paths of the layers that were read. */
  get paths(): readonly string[] {
    return [...this.#used];
  }

  /** Returns the layers that a reference of `from` means; undefined, and a problem, if they cannot be read. */
  follow(from: Layer, reference: string): LayerStack | undefined {
    return this.#tried(from, reference, (path) => this.stackOf(path));
  }

  /** Does what needs a file that `from` refers to. What keeps that from being done is a problem. */
  #tried<Result>(from: Layer, reference: string, work: (path: string) => Result): Result | undefined {
    try {
      const resolved = this.resolve(from.path, reference);
      if ('path' in resolved) return work(resolved.path);
      this.report(from, reference, 'outside' in resolved ? 'is outside of the library' : 'is not there');
    } catch (error) {
      if (error instanceof UnreadableFileError) this.report(from, reference, error.message);
      else if (!(error instanceof NotReadYet)) throw error;
    }
    return undefined;
  }

  /** Resolves a reference of a layer, which can be in an archive or lead into one. */
  resolve(from: string, text: string): Resolved {
    const { file, inside } = splitArchivePath(from);
    if (inside !== '') {
      const archive = this.#archive(file);
      const resolved = archive.resolve(inside, text);
      return 'path' in resolved ? { ...resolved, path: `${file}[${resolved.path}]` } : resolved;
    }
    const target = splitArchivePath(text);
    const resolved = resolveReference(this.#files.index, from, target.file);
    if (target.inside === '' || !('path' in resolved)) return resolved;
    return this.resolve(`${resolved.path}[${this.#archive(resolved.path).entry}]`, target.inside);
  }

  readonly #archive = memoised((path: string) => new UsdArchive(sourceOf(this.#read(path))));

  #read(path: string): Uint8Array {
    const bytes = this.#files.read(path);
    if (bytes === undefined) throw new NotReadYet();
    return bytes;
  }

  report(layer: Layer, reference: string, reason: string): void {
    const key = JSON.stringify([layer.path, reference, reason]);
    if (this.#reported.has(key) || this.#reported.size >= MAX_PROBLEMS) return;
    this.#reported.add(key);
    this.problems.push({ layer: layer.path, reference, reason });
  }

  /** Opens the layers of the stage itself; undefined if its file has not been read. Throws `UnreadableFileError`. */
  open(path: string): LayerStack | undefined {
    try {
      return this.stackOf(path);
    } catch (error) {
      if (error instanceof NotReadYet) return undefined;
      throw error;
    }
  }

  readonly stackOf = memoised((path: string): LayerStack => {
    const root = this.#layer(path);
    const layers: Layer[] = [];
    this.#collect(root, [], layers);
    return { root, layers };
  });

  #collect(layer: Layer, above: readonly Layer[], into: Layer[]): void {
    if (into.length >= MAX_LAYERS) throw new UnreadableFileError(`has more than ${MAX_LAYERS} layers`);
    into.push(layer);
    for (const arc of layer.subLayers) {
      const sub = this.#tried(layer, arc.asset, (path) => this.#layer(path));
      if (sub === undefined) continue;
      if (sub === layer || above.includes(sub)) this.report(layer, arc.asset, 'is a layer of itself');
      else this.#collect(sub, [...above, layer], into);
    }
  }

  #layer(path: string): Layer {
    const { file, inside } = splitArchivePath(path);
    this.#used.add(file);
    const known = this.#layers.get(path);
    if (known !== undefined) return known;
    const bytes = inside === '' ? this.#read(file) : this.#archive(file).read(inside);
    const layer =
      inside === '' && isArchive(sourceOf(bytes))
        ? this.#layer(`${path}[${this.#archive(path).entry}]`)
        : readLayer(bytes, path);
    this.#layers.set(path, layer);
    return layer;
  }
}

/** A file that is needed has not been read. */
class NotReadYet extends Error {}
