import type { LayerStack } from './layer-stacks.ts';
import type { Layer, PrimSpec } from './values.ts';

/** How strong an arc is among those of one site: inherits, variants, references, payloads, specializes. */
const STRENGTH = { root: 0, inherit: 1, variant: 2, reference: 3, payload: 4, specialize: 5 } as const;
export type ArcKind = keyof typeof STRENGTH;

/** What one layer says about a prim. */
export interface Opinion {
  readonly layer: Layer;
  readonly spec: PrimSpec;
}

/** How paths of a site become those of the site that refers to it. */
export interface Mapping {
  readonly from: string;
  readonly to: string;
  /** Whether paths that are not in `from` stay what they are. */
  readonly isOpen: boolean;
}

/** A prim in the layers of one stack that contributes to a prim of the stage. */
export class Site {
  readonly stack: LayerStack;
  readonly path: string;
  readonly arc: ArcKind;
  readonly opinions: readonly Opinion[];
  /** The sites that this one refers to, strongest first. */
  readonly children: Site[] = [];
  parent: Site | undefined;
  readonly mapping: Mapping;
  /** How many levels above the arc was said. */
  readonly level: number;
  readonly order: number;

  constructor(site: Pick<Site, 'stack' | 'path' | 'arc' | 'opinions' | 'mapping' | 'level' | 'order'>) {
    this.stack = site.stack;
    this.path = site.path;
    this.arc = site.arc;
    this.opinions = site.opinions;
    this.mapping = site.mapping;
    this.level = site.level;
    this.order = site.order;
  }

  adopt(child: Site): void {
    child.parent = this;
    const at = this.children.findIndex((other) => isStronger(child, other));
    this.children.splice(at < 0 ? this.children.length : at, 0, child);
  }

  /** Maps a path of these layers into the stage; undefined if it is not part of it. */
  toStage(path: string): string | undefined {
    let mapped: string | undefined = path;
    for (
      let site: Site | undefined = this;
      site?.parent !== undefined && mapped !== undefined;
      site = site.parent
    )
      mapped = mappedUp(site.mapping, mapped);
    return mapped;
  }
}

function isStronger(one: Site, other: Site): boolean {
  if (one.arc !== other.arc) return STRENGTH[one.arc] < STRENGTH[other.arc];
  return one.level === other.level ? one.order < other.order : one.level < other.level;
}

export function mappedUp({ from, to, isOpen }: Mapping, path: string): string | undefined {
  if (isInside(path, from)) return to + path.slice(from.length);
  return isOpen ? path : undefined;
}

export function isInside(path: string, prim: string): boolean {
  return path.startsWith(prim) && (path.length === prim.length || /[/.]/.test(path[prim.length] ?? ''));
}

export function joined(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}

/** All sites that say something about a prim, strongest first. Specializes are weaker than anything else. */
export function sitesOf(root: Site): readonly Site[] {
  const sites: Site[] = [];
  const later: Site[] = [];
  const visit = (site: Site) => {
    sites.push(site);
    for (const child of site.children) child.arc === 'specialize' ? later.push(child) : visit(child);
  };
  visit(root);
  for (let next = later.shift(); next !== undefined; next = later.shift()) visit(next);
  return sites;
}

/** Returns a path as it is from the top, without choices of variants. */
export function absolutePath(path: string, prim: string): string {
  const plain = path.replace(/\{[^{}]*\}(?=[^/.{]|$)/g, '/').replace(/\{[^{}]*\}|\/$/g, '');
  if (path.startsWith('/')) return plain || '/';
  const steps = prim.split('/').slice(1);
  let rest = plain;
  for (; rest.startsWith('..'); rest = rest.slice(2).replace(/^\//, '')) steps.pop();
  return rest.startsWith('.') ? `/${steps.join('/')}${rest}` : `/${[...steps, rest].join('/')}`;
}
