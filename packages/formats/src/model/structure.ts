import type { Hand, Instance } from './scene.ts';

/** A body as it hangs in the tree of a robot. */
export interface Hanging {
  /** The place of its parent, which comes before it; -1 if it hangs in the world. */
  readonly parent: number;
  /** How many joints that can be moved on their own carry it. */
  readonly joints: number;
}

/** A tree can have any number of ends, and more say nothing new. */
const MAX_CHAINS = 16;

/** Returns how many joints lead to each end of a tree of bodies, the most first: 3, 3, 3 and 3 for a dog's legs. */
export function chainsOf(bodies: readonly Hanging[]): number[] {
  const lengths: number[] = [];
  for (const { parent, joints } of bodies) lengths.push((lengths[parent] ?? 0) + joints);
  const carriesJoints = bodies.map(() => false);
  const ends: number[] = [];
  for (let at = bodies.length - 1; at >= 0; at--) {
    const { parent, joints } = bodies[at] as Hanging;
    if (joints > 0 && !carriesJoints[at]) ends.push(lengths[at] as number);
    if (parent >= 0 && (joints > 0 || carriesJoints[at])) carriesJoints[parent] = true;
  }
  return ends.sort((a, b) => b - a).slice(0, MAX_CHAINS);
}

/** A body with its name. */
export interface Link extends Hanging {
  readonly name: string;
}

/** What links of hands and grippers are called, in lower case. */
const OF_HAND = /grip|jaw|claw|clamp|finger|thumb|palm|knuckle|phalan|hand(?!le|rail|wheel|y)/;
/** An arm reaches with at least as many joints. */
const FEWEST_OF_ARM = 4;

/**
 * Returns the hands and grippers that the arms of a robot hold: what hangs on a link that is called so or, if several
 * links of one that is not are, on that one. At least two links of a hand are seen, and something that holds it, so that
 * neither a hand by itself nor a ball at the end of an arm is one.
 */
export function handsOf(
  links: readonly Link[],
  drawn: readonly { readonly link: number; readonly instance: Instance }[],
): Hand[] {
  const shown = Map.groupBy(drawn, ({ link }) => link);
  const isNamed: boolean[] = [];
  const tops: number[] = [];
  for (const [at, { parent, name }] of links.entries()) {
    const isOfHand = OF_HAND.test(lastName(name).toLowerCase());
    if (isOfHand && !isNamed[parent]) tops.push(at);
    isNamed.push(isNamed[parent] || isOfHand);
  }
  const byParent = Map.groupBy(tops, (top) => links[top]?.parent ?? -1);
  const roots = new Set(
    [...byParent].flatMap(([parent, own]) => (own.length > 1 && parent >= 0 ? parent : own)),
  );
  const joints: number[] = [];
  const isHeld: boolean[] = [];
  const rootOf: (number | undefined)[] = [];
  for (const [at, { parent, joints: own }] of links.entries()) {
    joints.push((joints[parent] ?? 0) + own);
    isHeld.push(isHeld[parent] || shown.has(parent));
    rootOf.push(rootOf[parent] ?? (roots.has(at) ? at : undefined));
  }
  const seen = Map.groupBy([...shown.keys()], (link) => rootOf[link]);
  return [...roots].flatMap((root): Hand[] => {
    const own = seen.get(root) ?? [];
    if (own.length < 2 || (joints[root] as number) < FEWEST_OF_ARM || !isHeld[root]) return [];
    const instances = own.flatMap((link) => shown.get(link) ?? []).map(({ instance }) => instance);
    return [{ name: lastName((links[root] as Link).name), instances }];
  });
}

/** Links of USD are called by their paths, those of MuJoCo by the model that they come from, too. */
function lastName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Words that names have for where a part is and what kind of thing of a file it is, instead of what it is. */
const SAYS_NOTHING = new Set(
  `and back base bl body bottom br center centre collider collision cube default dummy end fixed fl frame free front geo geom
  geometry grp group high hinge inner instance joint layer left lh lf link lod low lower main mat material mesh mid middle model node
  none obj object origin outer part plane poly position primitive prismatic rear revolute rf rh right rl root rr scene shape side
  slide surface the top tree upper visual world`.split(/\s+/),
);

/** Words of this many letters say what a part is. */
const WORD = /^[a-z]{3,16}$/;

/** More words than these describe a scene, not a thing. */
const MAX_WORDS = 16;

/**
 * Returns what parts are called, the most frequent words first, each with how many parts have it: `thigh` 4 for `FL_thigh`, `FR_thigh`, `RL_thigh`
 * and `RR_thigh`.
 */
export function partWords(names: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of new Set(names)) {
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => WORD.test(word) && !SAYS_NOTHING.has(word));
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, MAX_WORDS));
}
