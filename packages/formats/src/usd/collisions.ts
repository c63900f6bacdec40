import type { LossList } from '../model/losses.ts';
import { WORLD } from '../model/tree.ts';
import { contains } from './binding.ts';
import { everyPrim } from './bodies.ts';
import type { Mechanism } from './physics.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { textOf } from './values.ts';

/** More pairs of bodies than are named one by one. */
const MAX_PAIRS = 100_000;
/** More bodies times groups than are looked at. */
const MAX_MEMBERSHIPS = 1_000_000;

/** What collides in a stage. */
interface Colliding {
  readonly stage: UsdStage;
  readonly mechanism: Mechanism;
  /** The prims that bodies collide with, by the name of the body. */
  readonly colliders: ReadonlyMap<string, readonly UsdPrim[]>;
  /** The body that a prim is, or is in. */
  carrierOf(prim: UsdPrim | undefined): string;
}

type Pair = readonly [string, string];

/** Pairs of bodies that UsdPhysics keeps from colliding; what it says of less than whole bodies is a loss. */
export function excludedPairs(colliding: Colliding, losses: LossList): Pair[] {
  const prims = [...everyPrim(colliding.stage.roots)];
  const pairs = new Map<string, Pair>();
  for (const all of [
    filteredPairs(prims, colliding, losses),
    selfCollisions(prims, colliding),
    groupPairs(prims, colliding, losses),
    loopPairs(colliding),
  ]) {
    for (const pair of all) {
      if (pairs.size >= MAX_PAIRS) {
        losses.add('collision filter', pair.join(' '), `there are more than ${MAX_PAIRS} pairs of bodies`);
        return [...pairs.values()];
      }
      if (pair[0] !== pair[1]) pairs.set(JSON.stringify(pair.toSorted()), pair);
    }
  }
  return [...pairs.values()];
}

function* filteredPairs(prims: readonly UsdPrim[], colliding: Colliding, losses: LossList): Generator<Pair> {
  for (const prim of prims) {
    if (!prim.schemas.includes('PhysicsFilteredPairsAPI')) continue;
    for (const path of prim.targets('physics:filteredPairs')) {
      const other = colliding.stage.at(path);
      const sides = [prim, other].map((side) => (side === undefined ? [] : bodiesAt(side, colliding)));
      for (const [at, side] of [prim, other].entries()) {
        const lose = (why: string) => losses.add('physics:filteredPairs', side?.path ?? path, why);
        if (sides[at]?.length === 0) lose('nothing there collides');
        else if (side !== undefined && isPartOfCollider(side, colliding))
          lose('the whole body does not collide with the other');
      }
      yield* pairsBetween(sides[0] ?? [], sides[1] ?? []);
    }
  }
}

/** Whether a prim is one of several that its body collides with. */
function isPartOfCollider(prim: UsdPrim, { colliders, carrierOf }: Colliding): boolean {
  const beside = colliders.get(carrierOf(prim)) ?? [];
  return beside.length > 1 && beside.includes(prim);
}

/** The body that a prim is or is in, else those in it, if others collide with them. */
function bodiesAt(prim: UsdPrim, { carrierOf, mechanism, colliders }: Colliding): string[] {
  const own = carrierOf(prim);
  if (own !== WORLD) return [own].filter((name) => colliders.has(name));
  const inside = [...mechanism.prims].filter(([, { path }]) => path.startsWith(`${prim.path}/`));
  return (inside.length === 0 ? [own] : inside.map(([name]) => name)).filter((name) => colliders.has(name));
}

/** Bodies of an articulation that does not collide with itself. */
function* selfCollisions(prims: readonly UsdPrim[], colliding: Colliding): Generator<Pair> {
  const { mechanism, colliders } = colliding;
  for (const prim of prims) {
    const isOff = ['physxArticulation:enabledSelfCollisions', 'newton:selfCollisionEnabled'].some(
      (name) => prim.value(name) === false,
    );
    if (!isOff) continue;
    const joint = mechanism.joints.find((one) => one.prim === prim);
    const roots = joint === undefined ? bodiesAt(prim, colliding) : [joint.child];
    const members = connectedTo(roots, mechanism).filter((name) => colliders.has(name));
    yield* pairsIn(members);
  }
}

/** Bodies, and all that joints connect with them. */
function connectedTo(bodies: readonly string[], { joints }: Mechanism): string[] {
  const found = new Set(bodies);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { parent, child } of joints)
      if (parent !== WORLD && (found.has(parent) || found.has(child))) found.add(parent).add(child);
  }
  return [...found];
}

/** Bodies that a joint connects which is not in the tree; others do not collide by being parent and child. */
function* loopPairs({ mechanism }: Colliding): Generator<Pair> {
  for (const { prim, links } of mechanism.loops)
    if (prim.value('physics:collisionEnabled') !== true) yield links;
}

function* groupPairs(prims: readonly UsdPrim[], colliding: Colliding, losses: LossList): Generator<Pair> {
  const groups = prims.filter(({ typeName }) => typeName === 'PhysicsCollisionGroup').map(groupOf);
  if (groups.length === 0) return;
  if (groups.length * colliding.colliders.size > MAX_MEMBERSHIPS) {
    losses.add('PhysicsCollisionGroup', groups[0]?.path ?? '', 'there are too many groups and bodies');
    return;
  }
  const table = new GroupTable(groups);
  // Bodies whose shapes are in the same groups, by a line for each such set of groups.
  const alike = Map.groupBy(colliding.colliders, ([, parts]) => {
    const memberships = new Set(parts.map((part) => namesAround(part, groups, colliding.stage)));
    return [...memberships].sort().join('\n');
  });
  const classes = [...alike].map(([key, bodies]) => ({
    bodies: bodies.map(([body]) => body),
    memberships: key.split('\n'),
  }));
  let isUsed = false;
  for (const [at, one] of classes.entries()) {
    for (const other of classes.slice(at)) {
      const filtered = one.memberships.flatMap((a) => other.memberships.map((b) => table.isFiltered(a, b)));
      const pairs = one === other ? pairsIn(one.bodies) : pairsBetween(one.bodies, other.bodies);
      for (const pair of filtered.some(Boolean) ? pairs : []) {
        isUsed = true;
        if (filtered.every(Boolean)) yield pair;
        else
          losses.add(
            'PhysicsCollisionGroup',
            pair.join(' '),
            'they collide as wholes, not only some shapes of them',
          );
      }
    }
  }
  if (isUsed) return;
  for (const { path, filtered, isInverted } of groups)
    if (isInverted || filtered.length > 0)
      losses.add('PhysicsCollisionGroup', path, 'there are no two bodies that it keeps from colliding');
}

function* pairsIn(bodies: readonly string[]): Generator<Pair> {
  for (const [at, one] of bodies.entries()) for (const other of bodies.slice(at + 1)) yield [one, other];
}

function* pairsBetween(bodies: readonly string[], others: readonly string[]): Generator<Pair> {
  for (const one of bodies) for (const other of others) yield [one, other];
}

/** A group of colliders, of which several can be one by name. */
interface Group {
  readonly name: string;
  readonly path: string;
  readonly filtered: readonly string[];
  readonly isInverted: boolean;
}

function groupOf(prim: UsdPrim): Group {
  return {
    name: textOf(prim.value('physics:mergeGroup')) || prim.path,
    path: prim.path,
    filtered: prim.targets('physics:filteredGroups'),
    isInverted: prim.value('physics:invertFilteredGroups') === true,
  };
}

/** The groups that a prim is in, by their names. */
function namesAround(prim: UsdPrim, groups: readonly Group[], stage: UsdStage): string {
  const around = groups.filter(({ path }) => contains(`${path}.collection:colliders`, prim.path, stage));
  return [...new Set(around.map(({ name }) => name))].sort().join('\t');
}

/** Which groups do not collide. What is in no group collides with all but what only collides with others. */
class GroupTable {
  readonly #filters = new Map<
    string,
    { readonly isInverted: boolean; readonly names: ReadonlySet<string> }
  >();

  constructor(groups: readonly Group[]) {
    const names = new Map(groups.map(({ path, name }) => [path, name]));
    for (const [name, merged] of Map.groupBy(groups, (group) => group.name))
      this.#filters.set(name, {
        isInverted: merged.some(({ isInverted }) => isInverted),
        names: new Set(merged.flatMap(({ filtered }) => filtered.flatMap((path) => names.get(path) ?? []))),
      });
  }

  /** Whether prims in these groups do not collide. */
  isFiltered(one: string, other: string): boolean {
    const others = other.split('\t');
    return one.split('\t').some((a) => others.some((b) => this.#rejects(a, b) || this.#rejects(b, a)));
  }

  #rejects(group: string, other: string): boolean {
    const filter = this.#filters.get(group);
    return filter !== undefined && filter.names.has(other) !== filter.isInverted;
  }
}
