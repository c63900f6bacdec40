import { UnreadableFileError } from '../../files/unreadable.ts';
import type { LayerStack, LayerStacks } from './layer-stacks.ts';
import { arcEdits, composed, textEdits } from './list-edits.ts';
import {
  type ArcKind,
  absolutePath,
  isInside,
  joined,
  type Mapping,
  mappedUp,
  type Opinion,
  Site,
  sitesOf,
} from './site.ts';
import { type Arc, isDictionary, type Layer } from './values.ts';

const MAX_SITES = 750_000;
/** How many sites one prim can have. */
const MAX_SITES_OF_PRIM = 2_000;
/** How deep arcs can lead to arcs. */
const MAX_ARCS = 100;

const OPEN: Mapping = { from: '/', to: '/', isOpen: true };
/** Keys by which two arcs are the same. */
const arcKey = ({ asset, prim, offset, scale }: Arc) => `${asset}<${prim}>${offset} ${scale}`;

export interface VariantChoice {
  readonly set: string;
  readonly choices: readonly string[];
  /** Empty if no layer selects one. */
  readonly selected: string;
}

/** Finds what all layers say about prims, by the order of strength of OpenUSD: local, inherits, variants, references, payloads, specializes. */
export class Composition {
  readonly #stacks: LayerStacks;
  readonly #choices: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Sites that arcs to prims below others lead to, by stack and path. */
  readonly #targets = new Map<LayerStack, Map<string, Site | null>>();
  #count = 0;
  #sitesOfPrim = 0;

  constructor(stacks: LayerStacks, choices: Readonly<Record<string, Readonly<Record<string, string>>>>) {
    this.#stacks = stacks;
    this.#choices = choices;
  }

  root(stack: LayerStack): Site {
    const opinions = stack.layers.map((layer) => ({ layer, spec: layer.root }));
    return new Site({ stack, path: '/', arc: 'root', opinions, mapping: OPEN, level: 0, order: 0 });
  }

  /** Finds the sites of a child. What is said outside of an instance's own arcs about its children does not count. */
  child(parent: Site, name: string, isInInstance: boolean, stagePath?: string): Site {
    const root = this.#below(parent, name, !isInInstance) as Site;
    // Others are composed on the way.
    const ofPrim = this.#sitesOfPrim;
    this.#evaluate(root, stagePath);
    this.#sitesOfPrim = ofPrim;
    return root;
  }

  /** Copies sites to a child of their prims; those without opinions are left out. */
  #below(site: Site, name: string, counts: boolean): Site | undefined {
    const doCount = counts || (site.arc !== 'root' && site.level === 0);
    const opinions = doCount ? childOpinions(site.opinions, name) : [];
    const { stack, arc, mapping, level, order } = site;
    const copy = new Site({
      stack,
      path: joined(site.path, name),
      arc,
      opinions,
      mapping,
      level: level + 1,
      order,
    });
    for (const child of site.children) {
      const below = this.#below(child, name, doCount);
      if (below === undefined) continue;
      below.parent = copy;
      copy.children.push(below);
    }
    if (opinions.length === 0 && copy.children.length === 0 && site.parent !== undefined) return undefined;
    this.#spend();
    return copy;
  }

  #spend(): void {
    if (++this.#count > MAX_SITES) throw new UnreadableFileError('refers to more prims than can be shown');
  }

  #spendOfPrim(sites: number): void {
    this.#sitesOfPrim += sites;
    if (this.#sitesOfPrim > MAX_SITES_OF_PRIM)
      throw new UnreadableFileError('has a prim that refers to too many others');
  }

  /** Follows the arcs of all sites, then chooses variants one by one, since each can bring arcs. */
  #evaluate(root: Site, stagePath: string | undefined): void {
    const pending = [...sitesOf(root)];
    this.#sitesOfPrim = pending.length;
    const chosen = new Map<Site, Set<string>>();
    for (;;) {
      for (let site = pending.shift(); site !== undefined; site = pending.shift()) {
        if (site.opinions.length > 0) this.#followArcs(site, pending);
      }
      const next = this.#nextVariant(root, stagePath, chosen);
      if (next === undefined) return;
      pending.push(next);
    }
  }

  #nextVariant(root: Site, stagePath: string | undefined, chosen: Map<Site, Set<string>>): Site | undefined {
    const sites = sitesOf(root);
    for (const site of sites) {
      for (const [order, set] of variantSetsOf(site).entries()) {
        const selected = this.#choices[stagePath ?? '']?.[set] ?? selectionIn(sites, set);
        const done = chosen.get(site) ?? new Set();
        if (selected === undefined || done.has(set)) continue;
        chosen.set(site, done.add(set));
        const opinions = site.opinions.flatMap(({ layer, spec }) => {
          const variant = spec.variantSets.get(set)?.get(selected);
          return variant === undefined ? [] : [{ layer, spec: variant }];
        });
        if (opinions.length === 0) continue;
        const { stack, path } = site;
        const variant = new Site({ stack, path, arc: 'variant', opinions, mapping: OPEN, level: 0, order });
        this.#spend();
        this.#spendOfPrim(1);
        site.adopt(variant);
        return variant;
      }
    }
    return undefined;
  }

  variantsOf(root: Site, stagePath: string): readonly VariantChoice[] {
    const sites = sitesOf(root);
    const sets = new Map<string, Set<string>>();
    for (const site of sites) {
      for (const set of variantSetsOf(site)) {
        const choices = sets.get(set) ?? new Set();
        sets.set(set, choices);
        for (const { spec } of site.opinions)
          for (const choice of spec.variantSets.get(set)?.keys() ?? []) choices.add(choice);
      }
    }
    return [...sets].map(([set, choices]) => ({
      set,
      choices: [...choices],
      selected: this.#choices[stagePath]?.[set] ?? selectionIn(sites, set) ?? '',
    }));
  }

  #followArcs(site: Site, pending: Site[]): void {
    for (const kind of ['inherit', 'specialize'] as const) {
      const field = kind === 'inherit' ? 'inheritPaths' : 'specializes';
      const edits = site.opinions.flatMap(({ spec }) => textEdits(spec.get(field)) ?? []);
      for (const [order, path] of composed(edits, (one) => one).entries())
        this.#inherit(site, kind, absolutePath(path, site.path), order, pending);
    }
    for (const kind of ['reference', 'payload'] as const) {
      const field = kind === 'reference' ? 'references' : 'payload';
      const edits = site.opinions.flatMap((opinion) => {
        const said = arcEdits(opinion.spec.get(field));
        return said === undefined ? [] : [said.map((arc) => ({ arc, opinion }))];
      });
      const arcs = composed(edits, ({ arc, opinion: { layer } }) =>
        arc.asset === '' ? arcKey(arc) : `${layer.path} ${arcKey(arc)}`,
      );
      for (const [order, { arc, opinion }] of arcs.entries())
        this.#refer(site, kind, arc, opinion, order, pending);
    }
  }

  #refer(
    site: Site,
    kind: 'reference' | 'payload',
    arc: Arc,
    { layer }: Opinion,
    order: number,
    pending: Site[],
  ): void {
    const name = arc.asset === '' ? `<${arc.prim}>` : `${arc.asset}${arc.prim === '' ? '' : `<${arc.prim}>`}`;
    const stack = arc.asset === '' ? site.stack : this.#stacks.follow(layer, arc.asset);
    if (stack === undefined) return;
    const path = arc.prim === '' ? defaultPrimOf(stack.root) : absolutePath(arc.prim, site.path);
    if (path === undefined) {
      this.#stacks.report(layer, name, 'has no default prim');
      return;
    }
    const mapping = { from: path, to: site.path, isOpen: arc.asset === '' };
    const target = this.#target(stack, path, kind, { mapping, order });
    if (isCycle(site, stack, path)) this.#stacks.report(layer, name, 'leads back to itself');
    else if (target === undefined) this.#stacks.report(layer, name, 'has no such prim');
    else this.#attach(site, target, pending);
  }

  /** Inherits and specializes hold in all layers above that refer to this one, too. */
  #inherit(site: Site, kind: 'inherit' | 'specialize', target: string, order: number, pending: Site[]): void {
    let path: string | undefined = target;
    for (let at: Site | undefined = site; at !== undefined && path !== undefined; at = at.parent) {
      const isKnown =
        at.children.some((one) => one.arc === kind && one.stack === at?.stack && one.path === path) ||
        (at !== site && at.stack === site.stack && path === target);
      if (!isKnown && !isCycle(at, at.stack, path)) {
        const mapping = { from: path, to: at.path, isOpen: true };
        const inherited = this.#target(at.stack, path, kind, { mapping, order });
        if (inherited !== undefined) this.#attach(at, inherited, pending);
      }
      path = mappedUp({ ...at.mapping, isOpen: true }, path);
    }
  }

  #attach(site: Site, target: Site, pending: Site[]): void {
    let depth = 0;
    for (let at: Site | undefined = site; at !== undefined; at = at.parent) depth++;
    if (depth > MAX_ARCS) throw new UnreadableFileError('has references that are nested too deeply');
    const sites = sitesOf(target);
    this.#spendOfPrim(sites.length);
    site.adopt(target);
    pending.push(...sites);
  }

  /** Finds the prim that an arc leads to, with what the arcs of the prims above it say. */
  #target(
    stack: LayerStack,
    path: string,
    arc: ArcKind,
    { mapping, order }: Pick<Site, 'mapping' | 'order'>,
  ): Site | undefined {
    const at = path.lastIndexOf('/');
    const name = path.slice(at + 1);
    const parent = at === 0 ? this.root(stack) : at > 0 ? this.#prim(stack, path.slice(0, at)) : undefined;
    if (!parent || name === '') return undefined;
    const below = this.#below(parent, name, true);
    if (below === undefined || (below.opinions.length === 0 && below.children.length === 0)) return undefined;
    const site = new Site({ stack, path, arc, opinions: below.opinions, mapping, level: 0, order });
    for (const child of below.children) {
      child.parent = site;
      site.children.push(child);
    }
    return site;
  }

  /** Composes a prim of a stack by itself, once; null while that is being done. */
  #prim(stack: LayerStack, path: string): Site | null {
    const known = this.#targets.get(stack) ?? new Map<string, Site | null>();
    this.#targets.set(stack, known);
    const ready = known.get(path);
    if (ready !== undefined) return ready;
    known.set(path, null);
    const at = path.lastIndexOf('/');
    const parent = at <= 0 ? this.root(stack) : this.#prim(stack, path.slice(0, at));
    if (parent === null) return null;
    const site = this.child(parent, path.slice(at + 1), false);
    known.set(path, site);
    return site;
  }
}

function childOpinions(opinions: readonly Opinion[], name: string): readonly Opinion[] {
  const below: Opinion[] = [];
  for (const { layer, spec } of opinions) {
    const child = spec.children.get(name);
    if (child !== undefined) below.push({ layer, spec: child });
  }
  return below;
}

export function defaultPrimOf({ root }: Layer): string | undefined {
  const name = root.get('defaultPrim');
  if (typeof name !== 'string' || name === '') return undefined;
  return name.startsWith('/') ? name : `/${name}`;
}

function variantSetsOf(site: Site): readonly string[] {
  if (site.opinions.every(({ spec }) => spec.get('variantSetNames') === undefined)) return [];
  const edits = site.opinions.flatMap(({ spec }) => textEdits(spec.get('variantSetNames')) ?? []);
  return composed(edits, (one) => one);
}

function selectionIn(sites: readonly Site[], set: string): string | undefined {
  for (const site of sites) {
    for (const { spec } of site.opinions) {
      const selection = spec.get('variantSelection');
      const selected = isDictionary(selection) ? selection[set] : undefined;
      if (typeof selected === 'string' && selected !== '') return selected;
    }
  }
  return undefined;
}

/** Whether an arc leads to a prim that is being composed, or to one above or below it. */
function isCycle(site: Site, stack: LayerStack, path: string): boolean {
  for (let at: Site | undefined = site; at !== undefined; at = at.parent) {
    if (at.stack === stack && (isInside(at.path, path) || isInside(path, at.path))) return true;
  }
  return false;
}
