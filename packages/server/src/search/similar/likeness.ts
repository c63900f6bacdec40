import type { Similarity } from '@bindery/contract';
import type { Hand } from '../../revision/descriptors.ts';

/** How one asset is like what was asked for. */
export interface Likeness {
  /** 0 to 1. */
  similarity: number;
  match: Similarity;
}

/** A descriptor, or a row of one: without the parts that are not known. */
export interface Described {
  shape: Int8Array | null;
  /** A histogram of colours, and whether there are any. */
  colors: Int8Array;
  /** Of a picture one, of a model several. */
  outlines: Int8Array;
}

/** The descriptor of a model: with a shape, and eight outlines. */
export type DescribedModel = Described & { shape: Int8Array };

/** Models whose shapes differ by less are the same; other samples of one surface differ by up to 12. */
const SAME_SHAPE = 30;
/**
 * So are models whose outlines are the same from all sides: reducing triangles can take away much of the surface, but
 * little of what is seen.
 */
const LIKE_SHAPE = 110;
const SAME_OUTLINES = 24;
/** Unless their colours have next to nothing in common, which differ by at most 180. */
const OTHER_COLORS = 140;
/** A model of the same class usually differs by less. */
const USUAL = 90;
const USUAL_PICTURE = 50;
/** What a colour weighs beside an outline, for pictures. */
const COLOR_WEIGHT = 0.1;
/** The square of the difference of unknown colours. */
const UNKNOWN_COLORS = 8_000;
const FARTHEST_COLORS = 180;

/** Below this, two things have nothing in common. */
export const LEAST = 0.2;

/**
 * A hand is like what was asked for only if it differs by less: other hands, and whole robots that are like no hand to
 * look at, differ by more.
 */
const SAME_HAND = 40;

/** From these distances on, shapes or outlines alone make the similarity smaller than `LEAST`. */
export const FARTHEST = {
  hand: SAME_HAND,
  shape: Math.max(LIKE_SHAPE, distanceOf(LEAST, USUAL)),
  outline: distanceOf(LEAST, USUAL_PICTURE),
} as const;

/** Compares a model with a model. Scale, orientation and mirroring do not matter; `hasSameFiles` is called if all is equal. */
export async function compareModels(
  asked: DescribedModel,
  found: DescribedModel,
  hasSameFiles: () => Promise<boolean>,
): Promise<Likeness> {
  const shape = distance(asked.shape, found.shape);
  if (shape === 0 && distance(asked.outlines, found.outlines) === 0 && (await hasSameFiles()))
    return { similarity: 1, match: 'identical' };
  const colors = haveColors(asked, found) ? distance(asked.colors, found.colors) : null;
  const alike = nearness(shape, USUAL) * (colors === null ? 1 : 1 - (0.15 * colors) / FARTHEST_COLORS);
  const isSame =
    shape < SAME_SHAPE || (shape < LIKE_SHAPE && distance(asked.outlines, found.outlines) < SAME_OUTLINES);
  if (!isSame || (colors ?? 0) > OTHER_COLORS) return { similarity: 0.95 * alike, match: 'shape' };
  return { similarity: 0.95 + 0.04 * alike, match: 'duplicate' };
}

/** Compares a model with the nearest hand of a robot, which is no duplicate for that. */
export function compareHands(asked: DescribedModel, hands: readonly Hand[]): Likeness & { part: string } {
  const compared = hands.map(({ name, shape }) => ({ part: name, apart: distance(asked.shape, shape) }));
  const [{ part, apart } = { part: '', apart: Infinity }] = compared.sort((a, b) => a.apart - b.apart);
  return { similarity: apart < SAME_HAND ? 0.95 * nearness(apart, USUAL) : 0, match: 'shape', part };
}

/** Compares a picture with the nearest outline of a model, and their colours. */
export function comparePicture(asked: Described, found: Described): Likeness {
  const length = asked.outlines.length;
  let outline = Infinity;
  for (let at = 0; at < found.outlines.length; at += length)
    outline = Math.min(outline, distance(asked.outlines, found.outlines.subarray(at, at + length)));
  const colors = haveColors(asked, found) ? distance(asked.colors, found.colors) ** 2 : UNKNOWN_COLORS;
  const apart = Math.sqrt(outline ** 2 + COLOR_WEIGHT * colors);
  return { similarity: 0.95 * nearness(apart, USUAL_PICTURE), match: 'picture' };
}

/** The cosine from which two pictures have something in common, for most models. */
const RELATED_COSINE = 0.5;

/** Compares two pictures by the cosine of their vectors. */
export function compareVectors(cosine: number): Likeness {
  const similarity = Math.max(0, 0.95 * ((cosine - RELATED_COSINE) / (1 - RELATED_COSINE)));
  return { similarity, match: 'picture' };
}

function haveColors(a: Described, b: Described): boolean {
  return a.colors.at(-1) === 1 && b.colors.at(-1) === 1;
}

function nearness(apart: number, usual: number): number {
  return Math.exp(-((apart / usual) ** 2));
}

/** A little more than the distance at which something is so similar. */
function distanceOf(similarity: number, usual: number): number {
  return usual * Math.sqrt(Math.log(1 / similarity));
}

function distance(a: Int8Array, b: Int8Array): number {
  let square = 0;
  for (let at = 0; at < a.length; at++) square += ((a[at] as number) - (b[at] as number)) ** 2;
  return Math.sqrt(square);
}
