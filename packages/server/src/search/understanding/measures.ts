import { type Measure, writeRange } from '@bindery/contract';
import { type Part, readEach } from './part.ts';

/** Numbers as words, from zero. */
export const NUMBER_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** Units of what assets measure, each with how much one is in the unit of the filter. */
const UNITS: readonly {
  pattern: string;
  quantity: 'bytes' | 'length' | 'mass' | 'joints' | 'triangles';
  size: number;
}[] = [
  { pattern: 'bytes?|b', quantity: 'bytes', size: 1 },
  { pattern: 'kb|kilobytes?', quantity: 'bytes', size: 1e3 },
  { pattern: 'kib', quantity: 'bytes', size: 2 ** 10 },
  { pattern: 'mb|megabytes?|megs?', quantity: 'bytes', size: 1e6 },
  { pattern: 'mib', quantity: 'bytes', size: 2 ** 20 },
  { pattern: 'gb|gigabytes?', quantity: 'bytes', size: 1e9 },
  { pattern: 'gib', quantity: 'bytes', size: 2 ** 30 },
  { pattern: 'mm|millimet(?:er|re)s?', quantity: 'length', size: 0.001 },
  { pattern: 'cm|centimet(?:er|re)s?', quantity: 'length', size: 0.01 },
  { pattern: 'm|met(?:er|re)s?', quantity: 'length', size: 1 },
  { pattern: 'inch(?:es)?', quantity: 'length', size: 0.0254 },
  { pattern: 'ft|foot|feet', quantity: 'length', size: 0.3048 },
  { pattern: 'g|grams?', quantity: 'mass', size: 0.001 },
  { pattern: 'kg|kgs|kilos?|kilograms?', quantity: 'mass', size: 1 },
  { pattern: 'lbs?|pounds?', quantity: 'mass', size: 0.45359237 },
  { pattern: 'tons?|tonnes?', quantity: 'mass', size: 1000 },
  { pattern: 'joints?', quantity: 'joints', size: 1 },
  { pattern: 'dofs?|degrees? of freedom', quantity: 'joints', size: 1 },
  { pattern: 'triangles?|tris?|polygons?|polys?|faces', quantity: 'triangles', size: 1 },
];
const UNIT = UNITS.map(({ pattern }) => pattern).join('|');

/** What comes before a number that is a bound, or about right. */
export const LESS =
  '(?:no|not) (?:more|larger|bigger|greater|heavier|taller|longer|wider|higher) than|under|below|(?:less|smaller|fewer|lighter|shorter|lower) than|at most|up to|max(?:imum)?(?: of)?|<=?|≤';
export const MORE =
  '(?:no|not) (?:less|smaller|fewer|lighter|shorter|lower) than|over|above|(?:more|larger|bigger|greater|heavier|taller|longer|wider|higher) than|at least|min(?:imum)?(?: of)?|>=?|≥';
export const ABOUT = 'exactly|about|around|roughly|approximately|approx\\.?|circa|ca\\.?|~|nearly|almost';
const NUMBER = `\\d+(?:,\\d{3})*(?:\\.\\d+)?|${NUMBER_WORDS.join('|')}`;
const SCALE = '(?:k|thousand|m(?=[ -](?:tri|poly|face))|million|mio)';
const SIDE = 'tall|high|in height|long|wide|across|in size|in length|in width|large|big';
const OR_LESS = 'or (?:less|smaller|fewer|lighter|under|below)|max(?:imum)?|at most';
const OR_MORE = 'or (?:more|larger|bigger|heavier|over|up|above|taller)|min(?:imum)?|at least';

const QUANTITY = new RegExp(
  `(?<![\\p{L}\\p{N}.-])(?:(?:that |which )?(?:weigh(?:s|ing)? |has |have |having |with (?:an? )?|w/ ?)?)(?:(?<what>(?:file |download )?size|download|mass|weight|height|length|width)(?: of| is|:)? )?(?:(?<less>${LESS})|(?<more>${MORE})|(?<about>${ABOUT})|(?<between>between|from))?\\s*` +
    `(?:(?<low>${NUMBER})\\s*(?<lowScale>${SCALE})?\\s*(?<lowUnit>${UNIT})?\\s*(?:and|to|-|–)\\s*)?` +
    `(?<number>${NUMBER})[ -]?(?<scale>${SCALE})?[ -]?(?<unit>${UNIT})(?![\\p{L}\\p{N}/²³])` +
    `(?:[ -](?<side>${SIDE})(?!\\p{L}))?(?: (?:(?<orLess>${OR_LESS})|(?<orMore>${OR_MORE}))(?!\\p{L}))?`,
  'giu',
);

/** What is about what something does or holds, and not about what it measures. */
const OF_SOMETHING_ELSE =
  /^[ -]*(?:payloads?|capacity|loads?|lifts?|of|force|torque|weights?|limit|wheels?|diameter|radius|thick|reach|stroke|range|apart|away|deep|pitch|bore|cables?|per|ram|memory|flash|disk|ssd|joints?)(?!\p{L})/iu;
const OF_SOMETHING_ELSE_BEFORE =
  /(?<!\p{L})(?:payloads?|capacity|loads?|lift\w*|carr\w+|hold\w*|support\w*|pull\w*|push\w*|reach\w*|range|radius|diameter|wheels?|wheelbase|stroke|altitude|depth|focal length|bore|pitch|speed|thickness|baseline|distance|fl(?:y|ies|ying)|hover\w*|jump\w*|drop\w*|fall\w*|walk\w*|driv\w*|memory|of|for)\s*(?:is\s*)?$/iu;

/** Reads what a text asks of sizes, masses and counts. */
export function readMeasures(text: string): Part[] {
  const quantities = readEach(text, QUANTITY, (match) => {
    const after = text.slice(match.index + match[0].length);
    const before = text.slice(0, match.index);
    return OF_SOMETHING_ELSE.test(after) || OF_SOMETHING_ELSE_BEFORE.test(before)
      ? null
      : readQuantity(match);
  });
  const joints = readEach(
    text,
    /(?<![\p{L}-])(?<no>without|no|with)(?: any| moving| movable)* joints(?!\p{L})/giu,
    ({ groups }) => ({ filter: 'joints', values: [groups?.no?.toLowerCase() === 'with' ? '1..' : '0'] }),
  );
  const sizes = readEach(text, LIKE, ({ groups = {} }) => {
    const range = groups.hand === undefined ? SIZES.get(groups.thing?.toLowerCase() ?? '') : IN_A_HAND;
    return range === undefined ? null : { filter: 'extent', values: [rangeOf(...range)] };
  });
  return [...quantities, ...joints, ...sizes];
}

/** Longest sides of things that others are compared with, in metres. */
const IN_A_HAND = [0, 0.2] as const;
const SIZES: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['coin', [0.01, 0.05]],
  ['hand', [0.1, 0.3]],
  ['shoe box', [0.2, 0.5]],
  ['chair', [0.5, 1.5]],
  ['table', [0.5, 2.5]],
  ['person', [1.2, 2.5]],
  ['human', [1.2, 2.5]],
  ['car', [3, 6]],
  ['house', [5, 50]],
  ['building', [5, 500]],
]);
const LIKE = new RegExp(
  `(?<!\\p{L})(?:(?:that |which )?(?<hand>fits? in(?:to)? (?:a|one|the|my) (?:hand|palm))|(?:that is |which is )?(?:(?:about )?as (?:large|big) as|the size of) an? (?<thing>${[...SIZES.keys()].join('|')}))(?!\\p{L})`,
  'giu',
);

/** What is asked for without saying more or less may be off by this share. */
const TOLERANCE = 0.2;

/** An arm's degrees of freedom do not count the joints of the gripper that it has: at most so many. */
const HAND_JOINTS = 2;

/** So many are a size of a model; fewer can be what it shows. */
const MANY_TRIANGLES = 1_000;

function readQuantity({
  0: text,
  groups = {},
}: RegExpExecArray): { filter: Measure; values: string[] } | null {
  const { number = '', scale, unit = '', low, lowScale, lowUnit, side, between, what } = groups;
  const found = unitNamed(unit);
  if (found === undefined) return null;
  const { quantity, size } = found;
  const less = groups.less ?? groups.orLess;
  const more = groups.more ?? groups.orMore;
  const filter = measureOf(quantity, text, side);
  const value = amountOf(number, scale) * size;
  if (low !== undefined) {
    if (between === undefined && (quantity === 'mass' || (quantity === 'length' && side === undefined)))
      return null;
    const least = amountOf(low, lowScale ?? scale) * (unitNamed(lowUnit ?? unit)?.size ?? size);
    return least <= value ? { filter, values: [rangeOf(least, value)] } : null;
  }
  if (between !== undefined) return null;
  if (less !== undefined)
    return { filter, values: [rangeOf(0, value, isStrict(less) && isCount(quantity) ? 1 : 0)] };
  if (more !== undefined) {
    const least = isStrict(more) && isCount(quantity) ? value + 1 : value;
    return { filter, values: [rangeOf(least, Number.POSITIVE_INFINITY)] };
  }
  if (quantity === 'joints')
    return { filter, values: [/^joint/i.test(unit) ? String(value) : rangeOf(value, value + HAND_JOINTS)] };
  const isMany = quantity === 'triangles' && value >= MANY_TRIANGLES;
  if (groups.about === undefined && side === undefined && what === undefined && !isMany) return null;
  return { filter, values: [rangeOf(value * (1 - TOLERANCE), value * (1 + TOLERANCE))] };
}

function unitNamed(unit: string) {
  return UNITS.find(({ pattern }) => new RegExp(`^(?:${pattern})$`, 'i').test(unit));
}

function amountOf(number: string, scale: string | undefined): number {
  const word = NUMBER_WORDS.indexOf(number.toLowerCase());
  const factor = scale === undefined ? 1 : /^[kt]/i.test(scale) ? 1e3 : 1e6;
  return factor * (word < 0 ? Number(number.replaceAll(',', '')) : word);
}

function measureOf(quantity: string, text: string, side: string | undefined): Measure {
  if (quantity !== 'length') return quantity as Measure;
  return /tall|high|height|shorter/i.test(`${side} ${text}`) ? 'height' : 'extent';
}

function isCount(quantity: string): boolean {
  return quantity === 'joints';
}

/** `less than four joints` are three at most; `at most four` are four. */
function isStrict(comparison: string): boolean {
  return /than|under|below|over|above|^[<>]$/i.test(comparison) && !/^no|^or/i.test(comparison);
}

function rangeOf(least: number, most: number, below = 0): string {
  const rounded = (value: number) =>
    value < Number.POSITIVE_INFINITY ? Number(value.toPrecision(6)) : value;
  return writeRange({ least: rounded(least), most: rounded(most - below) });
}
