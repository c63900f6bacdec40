import { UnreadableFileError } from '../unreadable.ts';
import {
  absolutePath,
  Composition,
  defaultPrimOf,
  type Opinion,
  type Site,
  sitesOf,
  type VariantChoice,
} from './composition.ts';
import {
  type LayerStack,
  LayerStacks,
  timeCodesPerSecond,
  type UsdFiles,
  type UsdProblem,
} from './layer-stacks.ts';
import { composed, ordered, textEdits } from './list-edits.ts';
import {
  BLOCKED,
  type Field,
  isDictionary,
  isValue,
  ListEdits,
  type Spec,
  TimeSamples,
  type UsdAsset,
  type UsdValue,
} from './values.ts';

/** A prim of a stage: active, defined and not abstract. Instances have the children of their prototypes, as if these were their own. */
export interface UsdPrim {
  readonly path: string;
  readonly name: string;
  /** Empty if it has no type. */
  readonly typeName: string;
  readonly parent: UsdPrim | undefined;
  readonly children: readonly UsdPrim[];
  /** Applied schemas, such as `PhysicsRigidBodyAPI` or `PhysicsDriveAPI:angular`. */
  readonly schemas: readonly string[];
  /** Names of the properties that a layer says something about. */
  readonly properties: readonly string[];
  /** Returns the value of an attribute: its default, else its first time sample. */
  value(attribute: string): UsdValue | undefined;
  /** Returns the time samples of an attribute in their order, in time codes of the stage. */
  samples(attribute: string): readonly (readonly [time: number, value: UsdValue])[] | undefined;
  /** Returns the paths in the stage of the attributes that an attribute takes its value from. */
  connections(attribute: string): readonly string[];
  /** Returns the paths in the stage of what a relationship points to. */
  targets(relationship: string): readonly string[];
  /** Returns metadata of the prim, or of one of its properties. */
  metadata(key: string, property?: string): UsdValue | undefined;
}

export interface UsdStage {
  readonly up: 'y' | 'z';
  readonly metersPerUnit: number;
  readonly kilogramsPerUnit: number;
  readonly timeCodesPerSecond: number;
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
}

export interface StageOptions {
  /** Chosen variants by the path of their prim and the name of their set. */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const MAX_PRIMS = 500_000;
const MAX_DEPTH = 512;
/** How some programs write that a prim has no type. */
const ANY_TYPE = '__AnyType__';

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
  readonly timeCodesPerSecond: number;
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
    this.timeCodesPerSecond = stack === undefined ? 24 : timeCodesPerSecond(stack.root);
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

interface StageOpinion<Said extends Spec = Spec> extends Omit<Opinion, 'spec'> {
  readonly spec: Said;
  readonly site: Site;
}

class StagePrim implements UsdPrim {
  readonly path: string;
  readonly name: string;
  readonly parent: StagePrim | undefined;
  readonly typeName: string;
  readonly site: Site;
  children: readonly StagePrim[] = [];
  readonly #opinions: readonly StageOpinion<Opinion['spec']>[];

  constructor(parent: StagePrim | undefined, name: string, path: string, site: Site) {
    this.parent = parent;
    this.name = name;
    this.path = path;
    this.site = site;
    this.#opinions = sitesOf(site).flatMap((one) =>
      one.opinions.map((opinion) => ({ ...opinion, site: one })),
    );
    const types = this.#opinions.map(({ spec }) => spec.get('typeName'));
    this.typeName =
      types.find((type): type is string => typeof type === 'string' && type !== '' && type !== ANY_TYPE) ??
      '';
  }

  get isInstance(): boolean {
    return (
      this.metadata('instanceable') === true &&
      sitesOf(this.site).some(({ arc, level }) => arc !== 'root' && level === 0)
    );
  }

  get isShown(): boolean {
    return this.#specifier() === 'def' && this.metadata('active') !== false;
  }

  /** A class from which a prim inherits does not make it one. */
  #specifier(): Field {
    for (const { spec, site } of this.#opinions) {
      const said = spec.get('specifier');
      if (said === 'def' || (said === 'class' && site.arc !== 'inherit' && site.arc !== 'specialize'))
        return said;
    }
    return 'over';
  }

  get schemas(): readonly string[] {
    return composed(
      this.#opinions.flatMap(({ spec }) => textEdits(spec.get('apiSchemas')) ?? []),
      (one) => one,
    );
  }

  get properties(): readonly string[] {
    const names = new Set<string>();
    for (const { spec } of this.#opinions) for (const name of spec.properties.keys()) names.add(name);
    return [...names];
  }

  #said(property: string): readonly StageOpinion[] {
    return this.#opinions.flatMap(({ spec, ...where }) => {
      const own = spec.properties.get(property);
      return own === undefined ? [] : [{ ...where, spec: own }];
    });
  }

  value(attribute: string): UsdValue | undefined {
    for (const { spec } of this.#said(attribute)) {
      const value = spec.get('default');
      if (value === BLOCKED) return undefined;
      if (isValue(value)) return value;
      const samples = spec.get('timeSamples');
      if (samples instanceof TimeSamples && samples.times.length > 0) return samples.at(0);
    }
    return undefined;
  }

  samples(attribute: string): readonly (readonly [time: number, value: UsdValue])[] | undefined {
    for (const { spec, site, times } of this.#said(attribute)) {
      const samples = spec.get('timeSamples');
      if (samples instanceof TimeSamples && samples.times.length > 0) {
        const { scale, offset } = site.stageTimes(times);
        const list = samples.times.flatMap((time, index) => {
          const value = samples.at(index);
          return value === undefined ? [] : [[time * scale + offset, value] as const];
        });
        return scale < 0 ? list.reverse() : list;
      }
      if (spec.get('default') !== undefined) return undefined;
    }
    return undefined;
  }

  connections(attribute: string): readonly string[] {
    return this.#paths(attribute, 'connectionPaths');
  }

  targets(relationship: string): readonly string[] {
    return this.#paths(relationship, 'targetPaths');
  }

  #paths(property: string, field: string): readonly string[] {
    const edits = this.#said(property).flatMap(({ spec, site }) => {
      const said = textEdits(spec.get(field));
      return said === undefined ? [] : [said.map((path) => site.toStage(absolutePath(path, site.path)))];
    });
    return composed(edits, (path) => path);
  }

  metadata(key: string, property?: string): UsdValue | undefined {
    const opinions = property === undefined ? this.#opinions : this.#said(property);
    const said = opinions.map(({ spec }) => spec.get(key)).filter((field) => field !== undefined);
    const [strongest] = said;
    if (strongest instanceof ListEdits) {
      const edits = said.flatMap((one) => textEdits(one) ?? []);
      return composed(edits, (one) => one);
    }
    if (isDictionary(strongest)) return said.filter(isDictionary).reduce(merged);
    return isValue(strongest) ? strongest : undefined;
  }
}

type Dictionary = { readonly [key: string]: UsdValue };

function merged(strong: Dictionary, weak: Dictionary): Dictionary {
  const dictionary: Record<string, UsdValue> = Object.assign(Object.create(null), weak);
  for (const [key, value] of Object.entries(strong)) {
    const other = weak[key];
    dictionary[key] = isDictionary(value) && isDictionary(other) ? merged(value, other) : value;
  }
  return dictionary;
}
