import { DESCRIPTOR_PARTS, readDescriptor } from './descriptors.ts';
import type { AssetStatistics } from './statistics.ts';

/** What is known of an asset that nobody wrote: read from its files, and shown and searched as such. */
export interface DerivedWords {
  /** What it is by how it moves: `robot arm with 6 joints and a gripper`. */
  readonly articulation: string | null;
  /** How large it is and what shape it has: `small`, `flat`. */
  readonly form: readonly string[];
  /** The colours of most of it. */
  readonly colors: readonly string[];
  /** What its parts are called, those that most parts are called first. */
  readonly parts: readonly string[];
}

/** Returns what the statistics of an asset say in words. */
export function deriveWords(statistics: AssetStatistics): DerivedWords {
  return {
    articulation: articulationOf(statistics),
    form: formOf(statistics),
    colors: colorsOf(statistics),
    parts: Object.entries(statistics.parts ?? {})
      .sort(([, a], [, b]) => b - a)
      .map(([word]) => word),
  };
}

/** `small, flat; red, grey; parts: wheel, body`; empty if nothing is known. */
export function formatDerivedWords({ articulation, form, colors, parts }: DerivedWords): string {
  return [
    ...(articulation === null ? [] : [articulation]),
    ...(form.length + colors.length === 0 ? [] : [[...form, ...colors].join(', ')]),
    ...(parts.length === 0 ? [] : [`parts: ${parts.join(', ')}`]),
  ].join('; ');
}

/** Words for parts by which kinds of robots are told apart. */
const PARTS = {
  leg: /leg|thigh|calf|shank|shin|knee|foot|^[lr]?hip/,
  finger: /finger|thumb|palm|phalan|distal|proximal|^(?:index|ring|pinky|little)$/,
  arm: /arm|shoulder|elbow|wrist|hand|^sho$/,
  gripper: /grip|jaw|claw|finger|^(?:pad|coupler|carriage)$/,
  wheel: /wheel|caster|^ty?re$/,
  rotor: /^(?:rotor|prop)/,
  trunk: /torso|pelvis|trunk|waist|chest|head/,
  bone: /^(?:femur|tibia|humerus|ulna|radius|clavicle|scapula|sacrum|lumbar|skull)/,
} as const;

/** An arm reaches with at least as many joints. */
const FEWEST_OF_ARM = 4;
/** A finger has fewer, with those of its wrist. */
const MOST_OF_HAND = 8;

/** How many wheels are believed: other numbers are of rollers, or of wheels that somebody holds. */
const WHEELS: ReadonlySet<number> = new Set([1, 2, 3, 4, 6, 8]);

/** Returns what kind of robot it is and how many joints it has; null if nothing of it moves. */
function articulationOf({ joints = 0, slides = 0, chains = [], parts = {} }: AssetStatistics): string | null {
  const numberOf = (part: keyof typeof PARTS) =>
    Math.max(0, ...Object.entries(parts).flatMap(([word, count]) => (PARTS[part].test(word) ? count : [])));
  const has = (part: keyof typeof PARTS) => numberOf(part) > 0;
  const [longest = 0] = chains;
  if (numberOf('rotor') >= 3 && longest <= 2) return `multicopter with ${inWords(numberOf('rotor'))} rotors`;
  if (joints === 0) return null;
  const count = joints === 1 ? '1 joint' : `${joints} joints`;
  if (has('bone')) return `skeleton of bones with ${count}`;
  const [alike, length] = mostAlike(chains);
  const isLegged = has('leg') && !has('finger');
  if (isLegged && alike === 4 && length >= 2 && length <= 4)
    return `quadruped robot with four legs and ${count}`;
  if (isLegged && alike === 6 && length <= 4) return `hexapod robot with six legs and ${count}`;
  const long = chains.filter((one) => one >= FEWEST_OF_ARM).length;
  if ((has('leg') || has('trunk')) && !has('wheel') && has('arm') && long >= 4)
    return `humanoid robot with two legs, two arms and ${count}`;
  if (
    has('leg') ? !has('wheel') && longest >= 3 : has('trunk') && !has('gripper') && alike === 2 && length >= 5
  )
    return `biped robot with two legs and ${count}`;
  const wheels = numberOf('wheel');
  if (wheels > 0 && long > 0) return `mobile manipulator robot with wheels, an arm and ${count}`;
  if (wheels > 0)
    return WHEELS.has(wheels) && parts.steering === undefined
      ? `wheeled, ${inWords(wheels)} wheels and ${count}`
      : `wheeled, ${count}`;
  const before = sharedBy(chains, joints);
  const fingers = has('finger') && chains.length > 2 ? ` with ${inWords(chains.length)} fingers` : '';
  if (fingers !== '' && longest < MOST_OF_HAND && before < FEWEST_OF_ARM && joints >= 8)
    return `robot hand${fingers} and ${count}`;
  if ((long === 2 || long === 4) && before <= FEWEST_OF_ARM) return `robot with two arms and ${count}`;
  if (long > 0 && before >= FEWEST_OF_ARM && Number.isInteger(before))
    return `robot arm with ${before} joints and a gripper${alike === chains.length ? fingers : ''}`;
  if (long === 1)
    return `robot arm with ${longest - (has('gripper') ? slides : 0)} joints${has('gripper') ? ' and a gripper' : ''}`;
  return has('gripper') ? `gripper with ${count}` : count;
}

/** Numbers as people write them of parts, of which there are few. */
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function inWords(count: number): string {
  return NUMBERS[count] ?? `${count}`;
}

/** Returns how many joints all chains have in common, if they branch once; a fraction shows that they do not. */
function sharedBy(chains: readonly number[], joints: number): number {
  const sum = chains.reduce((total, length) => total + length, 0);
  return chains.length < 2 ? 0 : (sum - joints) / (chains.length - 1);
}

/** Returns how many of the chains have the most frequent length, and that length. */
function mostAlike(chains: readonly number[]): [count: number, length: number] {
  const counts = Map.groupBy(chains, (length) => length);
  const [best] = [...counts].sort(([, a], [, b]) => b.length - a.length);
  return best === undefined ? [0, 0] : [best[1].length, best[0]];
}

/** Longest sides in metres, up to which a thing is called so. */
const SIZES = [
  [0.04, 'tiny'],
  [0.25, 'small'],
  [3, null],
  [15, 'large'],
  [Infinity, 'huge'],
] as const;

/** A flat thing is less thick than this part of its width, a long one less wide than that of its length. */
const FLAT = 0.12;
const LONG = 0.25;

function formOf({ size, up, splats, points, triangles, animations }: AssetStatistics): string[] {
  const kinds = [
    ...(splats === undefined ? [] : ['splats', 'scan']),
    ...(points !== undefined && triangles === undefined ? ['points', 'scan'] : []),
    ...(animations === undefined ? [] : ['animated']),
  ];
  if (size === undefined) return kinds;
  const [length = 0, width = 0, thickness = 0] = [...size].sort((a, b) => b - a);
  const sized = SIZES.find(([most]) => length <= most)?.[1] ?? null;
  const height = size[up === 'y' ? 1 : 2];
  const shapes = [
    ...(sized === null ? [] : [sized]),
    ...(thickness < FLAT * width ? ['flat'] : []),
    ...(width < LONG * length ? [height === length ? 'tall' : 'long', 'thin'] : []),
  ];
  return [...kinds, ...shapes];
}

/** Hues of a descriptor, 40 degrees apart from red, three shades each; then greys from black to white. */
const HUES = ['red', 'orange', 'lime', 'green', 'turquoise', 'blue', 'blue', 'purple', 'pink'] as const;
const GREYS = ['black', 'black', 'grey', 'grey', 'white'] as const;
const SHADES = 3;

/** A colour is named if it covers this much. */
const COVERS = 0.2;

/** A hue between two counts in both of them: at least this much of the greater in the lesser. */
const BETWEEN = 0.15;

function colorsOf(statistics: AssetStatistics): string[] {
  const descriptor = readDescriptor({ statistics });
  if (descriptor === null) return [];
  const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
  if (descriptor[shape + colors + hasColors - 1] !== 1) return [];
  const shares = [...descriptor.subarray(shape, shape + colors)].map((root) => (root / 127) ** 2);
  const named = new Map<string, number>();
  const add = (name: string, share: number) => named.set(name, (named.get(name) ?? 0) + share);
  const greys = shares.slice(HUES.length * SHADES);
  for (const [at, share] of greys.entries()) add(GREYS[at] ?? 'grey', share);
  for (let shade = 0; shade < SHADES; shade++) {
    const hues = HUES.map((_, hue) => shares[hue * SHADES + shade] ?? 0);
    const [red = 0, orange = 0, lime = 0] = hues;
    const isYellow = shade > 0 && isBetween(orange, lime);
    const isBrown = shade < SHADES - 1 && isBetween(red, orange);
    for (const [hue, share] of hues.entries())
      add(isBrown && hue < 2 ? 'brown' : nameOf(HUES[hue] ?? 'red', shade, isYellow), share);
  }
  return [...named]
    .filter(([, share]) => share >= COVERS)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function isBetween(one: number, other: number): boolean {
  return Math.min(one, other) > BETWEEN * Math.max(one, other);
}

function nameOf(hue: (typeof HUES)[number], shade: number, isYellow: boolean): string {
  const isDark = shade === 0;
  if (hue === 'orange') return isYellow ? 'yellow' : shade < SHADES - 1 ? 'brown' : 'orange';
  if (hue === 'lime') return isYellow ? 'yellow' : 'green';
  return hue === 'red' && isDark ? 'brown' : hue;
}
