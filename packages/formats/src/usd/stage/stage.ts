import { UnreadableFileError } from '../../files/unreadable.ts';
import type { Fault } from '../../verdicts.ts';
import { Composition, defaultPrimOf, type VariantChoice } from './composition.ts';
import { type LayerStack, LayerStacks, type UsdFiles, type UsdProblem } from './layer-stacks.ts';
import { ordered, textEdits } from './list-edits.ts';
import { type Site, sitesOf } from './site.ts';
import { StagePrim, type UsdPrim } from './stage-prim.ts';
import type { UsdAsset } from './values.ts';

export interface UsdStage {
  readonly up: 'y' | 'z';
  readonly metersPerUnit: number;
  readonly kilogramsPerUnit: number;
  readonly defaultPrim: UsdPrim | undefined;
  readonly roots: readonly UsdPrim[];
  at(path: string): UsdPrim | undefined;
  variants(prim: UsdPrim): readonly VariantChoice[];
  /**
   * Returns the path of the file that a value means, `a.usdz[b.png]` for one in an archive (see `readUsdFile`); undefined
   * if it is not there.
   */
  resolve(asset: UsdAsset): string | undefined;
  /** The files that the stage was read from. */
  readonly layers: readonly string[];
  /** References that were not followed. */
  readonly problems: readonly UsdProblem[];
  /** What OpenUSD refuses in its layers. */
  readonly faults: readonly Fault[];
}

export interface StageOptions {
  /** Chosen variants by the path of their prim and the name of their set. */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const MAX_PRIMS = 250_000;
const MAX_DEPTH = 512;

/**
 * Composes the stage of a file from the layers that it refers to. Throws `UnreadableFileError` if it cannot be read or
 * has too many prims; what other layers cannot give is among the `problems` of the stage.
 */
export function openStage(entry: string, files: UsdFiles, options: StageOptions = {}): UsdStage {
  const stacks = new LayerStacks(files);
  const stack = stacks.open(entry);
  return new ComposedStage(stacks, stack, options.variants ?? {});
}

/** Composes a stage as `openStage` does, from files that are read while it is composed. */
export async function loadStage(
  entry: string,
  files: Pick<UsdFiles, 'index'> & { read(path: string): Promise<Uint8Array> },
  options: StageOptions = {},
): Promise<UsdStage> {
  const read = new Map<string, Uint8Array>();
  const layers = new Map();
  for (;;) {
    const needed = new Set<string>();
    const readSoFar = (path: string) => {
      const bytes = read.get(path);
      if (bytes === undefined) needed.add(path);
      return bytes;
    };
    const stage = openStage(entry, { index: files.index, layers, read: readSoFar }, options);
    if (needed.size === 0) return stage;
    for (const path of needed) read.set(path, await files.read(path));
  }
}

class ComposedStage implements UsdStage {
  readonly up: 'y' | 'z';
  readonly metersPerUnit: number;
  readonly kilogramsPerUnit: number;
  readonly roots: readonly UsdPrim[];
  readonly #prims = new Map<string, StagePrim>();
  readonly #composition: Composition;
  readonly #stacks: LayerStacks;
  readonly #defaultPrim: string | undefined;

  constructor(
    stacks: LayerStacks,
    stack: LayerStack | undefined,
    choices: NonNullable<StageOptions['variants']>,
  ) {
    this.#stacks = stacks;
    this.#composition = new Composition(stacks, choices);
    const numberOf = (field: string, standard: number) => {
      const value = stack?.root.root.get(field);
      return typeof value === 'number' && value > 0 && value < Infinity ? value : standard;
    };
    this.up = stack?.root.root.get('upAxis') === 'Z' ? 'z' : 'y';
    this.metersPerUnit = numberOf('metersPerUnit', 0.01);
    this.kilogramsPerUnit = numberOf('kilogramsPerUnit', 1);
    this.#defaultPrim = stack && defaultPrimOf(stack.root);
    this.roots = stack === undefined ? [] : this.#childrenOf(undefined, this.#composition.root(stack), 0);
  }

  get defaultPrim(): UsdPrim | undefined {
    return this.#defaultPrim === undefined ? undefined : this.at(this.#defaultPrim);
  }

  get layers(): readonly string[] {
    return this.#stacks.paths;
  }

  get problems(): readonly UsdProblem[] {
    return this.#stacks.problems;
  }

  get faults(): readonly Fault[] {
    return this.#stacks.faults;
  }

  at(path: string): UsdPrim | undefined {
    return this.#prims.get(path);
  }

  resolve({ asset, layer }: UsdAsset): string | undefined {
    const resolved = this.#stacks.resolve(layer, asset);
    return 'path' in resolved ? resolved.path : undefined;
  }

  variants(prim: UsdPrim): readonly VariantChoice[] {
    const own = this.#prims.get(prim.path);
    return own === undefined ? [] : this.#composition.variantsOf(own.site, own.path);
  }

  #childrenOf(parent: StagePrim | undefined, site: Site, depth: number): StagePrim[] {
    if (depth > MAX_DEPTH) throw new UnreadableFileError('has prims that are nested too deeply');
    const children: StagePrim[] = [];
    for (const name of childNames(site)) {
      const path = `${parent?.path ?? ''}/${name}`;
      const child = new StagePrim(
        parent,
        name,
        path,
        this.#composition.child(site, name, parent?.isInstance ?? false, path),
      );
      if (!child.isShown) continue;
      if (this.#prims.size >= MAX_PRIMS) throw new UnreadableFileError(`has more than ${MAX_PRIMS} prims`);
      this.#prims.set(path, child);
      child.children = this.#childrenOf(child, child.site, depth + 1);
      children.push(child);
    }
    return children;
  }
}

/** Names of children, those of the weakest layer first. */
function childNames(site: Site): Iterable<string> {
  let names = new Map<string, string>();
  for (const { opinions } of sitesOf(site).toReversed()) {
    for (const { spec } of opinions.toReversed()) {
      for (const name of spec.children.keys()) names.set(name, name);
      const order = textEdits(spec.get('primOrder'))?.explicit;
      if (order !== undefined) names = ordered(names, order);
    }
  }
  return names.keys();
}
