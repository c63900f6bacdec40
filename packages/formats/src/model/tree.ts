import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import type { Body } from './mechanism.ts';

/** What a frame is called that everything stands in. A body of this name has the shapes that stand there. */
export const WORLD = 'world';

/** Bodies without one for the world if nothing stands in it, and it weighs nothing. */
export function withoutEmptyWorld(bodies: readonly Body[]): Body[] {
  return bodies.filter(
    ({ name, shapes, inertial }) => name !== WORLD || shapes.length > 0 || inertial !== undefined,
  );
}

/** Of bodies that hang on each other: less than the 500 elements in each other that MuJoCo and Gazebo read. */
const MAX_BODIES_DEEP = 480;

/** Bodies such that parents come before their children. @throws Unrenderable if some are their own ancestors. */
export function parentsFirst(bodies: readonly Body[], budget: Budget): Body[] {
  const byParent = Map.groupBy(bodies, ({ parent }) => parent);
  const sorted: Body[] = [];
  let level = byParent.get(undefined) ?? [];
  for (let depth = 1; level.length > 0; depth++) {
    budget.checkDepth(depth, MAX_BODIES_DEEP);
    sorted.push(...level);
    level = level.flatMap(({ name }) => byParent.get(name) ?? []);
  }
  if (sorted.length === bodies.length) return sorted;
  const placed = new Set(sorted);
  const [first] = bodies.filter((body) => !placed.has(body));
  throw new Unrenderable(
    `${toMessageText(first?.name ?? '')} hangs on itself: its joints go round in a circle`,
  );
}

/** Why a joint is lost that closes a circle. */
export const CIRCLE = 'links hang on themselves, so that it is cut';

/** One name of each circle in which names are their own parents. */
export function circular(parents: ReadonlyMap<string, string | undefined>): Set<string> {
  const found = new Set<string>();
  const passed = new Set<string>();
  for (const name of parents.keys()) {
    const way = new Set<string>();
    let at: string | undefined = name;
    while (at !== undefined && !passed.has(at) && !way.has(at)) {
      way.add(at);
      at = parents.get(at);
    }
    if (at !== undefined && way.has(at)) found.add(at);
    for (const one of way) passed.add(one);
  }
  return found;
}

/**
 * Bodies by the first of those that nothing moves them against; undefined for what stands in the world. `bodies` have
 * parents before their children.
 */
export function rigidGroups(bodies: readonly Body[]): Map<string, string | undefined> {
  const groups = new Map<string, string | undefined>();
  for (const { name, parent, joints } of bodies) {
    groups.set(name, joints.length > 0 ? name : parent === undefined ? undefined : groups.get(parent));
  }
  return groups;
}
