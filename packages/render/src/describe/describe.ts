import type { Image, Scene, SplatCloud } from '@bindery/formats/model/scene';
import { COLOR_BINS, colorHistogram } from './color-histogram.ts';
import { SHELL_ENERGIES, shellEnergies } from './harmonics.ts';
import { PAIR_BINS, pairHistogram } from './pair-histogram.ts';
import { type Figure, figureOf } from './picture-figure.ts';
import { maskOf, OUTLINE_NUMBERS, outlineOf, VIEWS, viewOutlines } from './silhouettes.ts';
import { type SurfaceSamples, sampleScene, sampleSplats } from './surface-samples.ts';

/**
 * Identifies what the bytes of descriptors mean: those of different versions cannot be compared. A test fails until it
 * is changed with such a change.
 */
export const DESCRIPTOR_VERSION = 'shape-1';

/** Whether the model, or the picture, has colours. */
const FLAGS = 1;

/** What the descriptor of a model begins with. */
export const SHAPE_BYTES = PAIR_BINS + SHELL_ENERGIES;
/** Of models: shape, colours, flags, and outlines from around. All numbers are from 0 to 127. */
export const MODEL_BYTES = SHAPE_BYTES + COLOR_BINS + FLAGS + VIEWS * OUTLINE_NUMBERS;
/** Of pictures: colours, flags, and one outline. */
export const PICTURE_BYTES = COLOR_BINS + FLAGS + OUTLINE_NUMBERS;

/** Factors from numbers to bytes, by which shells weigh about as much as pairs. */
const PAIRS = 255;
const SHELLS = 306;
const COLORS = 127;
const OUTLINES = 127;

/**
 * Describes what a model looks like, for comparison with other models and with pictures: not its size, place or
 * orientation. The same bytes for the same scene; undefined if it shows nothing.
 */
export function describeScene(scene: Scene): Uint8Array | undefined {
  return describeSamples(sampleScene(scene));
}

/** The same of splats. */
export function describeSplats(cloud: SplatCloud): Uint8Array | undefined {
  return describeSamples(sampleSplats(cloud));
}

function describeSamples(samples: SurfaceSamples | undefined): Uint8Array | undefined {
  if (samples === undefined) return undefined;
  const bytes = new DescriptorBytes(MODEL_BYTES);
  bytes.addRoots(pairHistogram(samples), PAIRS);
  bytes.add(shellEnergies(samples), SHELLS);
  bytes.addColors(samples.colors);
  for (const outline of viewOutlines(samples)) bytes.addRoots(outline, OUTLINES);
  return bytes.whole;
}

/**
 * Describes the thing that a picture is of: what is opaque or, in an opaque picture, what stands out from the background
 * at its border. Undefined if nothing does. A side of a few hundred pixels is enough.
 */
export function describePicture(picture: Image): Uint8Array | undefined {
  const figure = figureOf(picture);
  return figure && describeFigure(figure);
}

/** The same of what a picture has been found to show. */
export function describeFigure(figure: Figure): Uint8Array {
  const bytes = new DescriptorBytes(PICTURE_BYTES);
  bytes.addColors(figure.colors);
  bytes.addRoots(outlineOf(maskOf(figure.places)), OUTLINES);
  return bytes.whole;
}

class DescriptorBytes {
  readonly whole: Uint8Array;
  #end = 0;

  constructor(length: number) {
    this.whole = new Uint8Array(length);
  }

  add(numbers: Float64Array, factor: number): void {
    for (const number of numbers) this.whole[this.#end++] = Math.min(127, Math.round(number * factor));
  }

  /** Shares are compared by their roots, so that small ones count. */
  addRoots(numbers: Float64Array, factor: number): void {
    this.add(numbers.map(Math.sqrt), factor);
  }

  addColors(colors: Float32Array | null): void {
    this.addRoots(colors === null ? new Float64Array(COLOR_BINS) : colorHistogram(colors), COLORS);
    this.whole[this.#end++] = Number(colors !== null);
  }
}
