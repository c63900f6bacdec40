import { composed, textEdits } from './list-edits.ts';
import { absolutePath, type Opinion, type Site, sitesOf } from './site.ts';
import {
  BLOCKED,
  type Field,
  isDictionary,
  isValue,
  ListEdits,
  type Spec,
  TimeSamples,
  type UsdValue,
} from './values.ts';

/** How some programs write that a prim has no type. */
const ANY_TYPE = '__AnyType__';

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
  /** Whether an attribute has another value at another time. */
  varies(attribute: string): boolean;
  /** Returns the paths in the stage of the attributes that an attribute takes its value from. */
  connections(attribute: string): readonly string[];
  /** Returns the paths in the stage of what a relationship points to. */
  targets(relationship: string): readonly string[];
  /** Returns metadata of the prim, or of one of its properties. */
  metadata(key: string, property?: string): UsdValue | undefined;
}

interface StageOpinion<Said extends Spec = Spec> extends Omit<Opinion, 'spec'> {
  readonly spec: Said;
  readonly site: Site;
}

export class StagePrim implements UsdPrim {
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

  varies(attribute: string): boolean {
    return this.#said(attribute).some(({ spec }) => {
      const samples = spec.get('timeSamples');
      return samples instanceof TimeSamples && samples.times.length > 1;
    });
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
