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
