import type { FileIndex } from '../file-index.ts';
import { resolveReference } from '../resolve.ts';
import { UnreadableFileError } from '../unreadable.ts';
import { readLayer } from './layer.ts';
import type { Arc, Layer, TimeOffset } from './values.ts';

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
  readonly layers: readonly StackedLayer[];
}

export interface StackedLayer {
  readonly layer: Layer;
  /** From times of the layer to those of the stack. */
  readonly times: TimeOffset;
}

export const SAME_TIME: TimeOffset = { offset: 0, scale: 1 };

/** Times that are first those of `inner` and then those of `outer`. */
export function nestedTimes(outer: TimeOffset, inner: TimeOffset): TimeOffset {
  if (outer === SAME_TIME) return inner;
  return { scale: outer.scale * inner.scale, offset: outer.scale * inner.offset + outer.offset };
}

const MAX_LAYERS = 10_000;

/** The layers of a stage, each read once. */
export class LayerStacks {
  readonly problems: UsdProblem[] = [];
  readonly #files: UsdFiles;
  readonly #layers: Map<string, Layer>;
  readonly #stacks = new Map<string, LayerStack>();
  readonly #used = new Set<string>();

  constructor(files: UsdFiles) {
    this.#files = files;
    this.#layers = files.layers ?? new Map();
  }

  /** The paths of the layers that were read. */
  get paths(): readonly string[] {
    return [...this.#used];
  }

  /** Returns the layers that a reference of `from` means; undefined, and a problem, if they cannot be read. */
  follow(from: Layer, reference: string): LayerStack | undefined {
    const resolved = resolveReference(this.#files.index, from.path, reference);
    if ('path' in resolved) {
      try {
        return this.stackOf(resolved.path);
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        this.report(from, reference, error.message);
        return undefined;
      }
    }
    this.report(from, reference, 'outside' in resolved ? 'is outside of the library' : 'is not there');
    return undefined;
  }

  report(layer: Layer, reference: string, reason: string): void {
    const isKnown = this.problems.some(
      (one) => one.layer === layer.path && one.reference === reference && one.reason === reason,
    );
    if (!isKnown) this.problems.push({ layer: layer.path, reference, reason });
  }

  /** Returns undefined for a layer whose file has not been read yet. Throws `UnreadableFileError` for a damaged one. */
  stackOf(path: string): LayerStack | undefined {
    const known = this.#stacks.get(path);
    if (known !== undefined) return known;
    const root = this.#layer(path);
    if (root === undefined) return undefined;
    const layers: StackedLayer[] = [];
    this.#collect(root, SAME_TIME, [], layers);
    const stack = { root, layers };
    this.#stacks.set(path, stack);
    return stack;
  }

  #collect(layer: Layer, times: TimeOffset, above: readonly Layer[], into: StackedLayer[]): void {
    if (into.length >= MAX_LAYERS) throw new UnreadableFileError(`has more than ${MAX_LAYERS} layers`);
    into.push({ layer, times });
    for (const arc of layer.subLayers) {
      const sub = this.#subLayer(layer, arc);
      if (sub === undefined) continue;
      if (sub === layer || above.includes(sub)) this.report(layer, arc.asset, 'is a layer of itself');
      else this.#collect(sub, nestedTimes(times, timesBetween(layer, sub, arc)), [...above, layer], into);
    }
  }

  #subLayer(layer: Layer, { asset }: Arc): Layer | undefined {
    const resolved = resolveReference(this.#files.index, layer.path, asset);
    try {
      if ('path' in resolved) return this.#layer(resolved.path);
      this.report(layer, asset, 'outside' in resolved ? 'is outside of the library' : 'is not there');
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      this.report(layer, asset, error.message);
    }
    return undefined;
  }

  #layer(path: string): Layer | undefined {
    this.#used.add(path);
    const known = this.#layers.get(path);
    if (known !== undefined) return known;
    const bytes = this.#files.read(path);
    if (bytes === undefined) return undefined;
    const layer = readLayer(bytes, path);
    this.#layers.set(path, layer);
    return layer;
  }
}

/** From times of a layer that `arc` of another refers to, to times of that one. */
export function timesBetween(outer: Layer, inner: Layer, arc: TimeOffset): TimeOffset {
  const scale = (arc.scale * timeCodesPerSecond(outer)) / timeCodesPerSecond(inner);
  return scale === 1 && arc.offset === 0 ? SAME_TIME : { offset: arc.offset, scale };
}

export function timeCodesPerSecond({ root }: Layer): number {
  for (const field of ['timeCodesPerSecond', 'framesPerSecond']) {
    const value = root.get(field);
    if (typeof value === 'number' && value > 0) return value;
  }
  return 24;
}
