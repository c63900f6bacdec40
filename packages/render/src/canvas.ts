import { THUMBNAIL_SIZE } from './picture.ts';
import { createVisibilityBuffer, type VisibilityBuffer } from './rasterise/visibility.ts';
import { SHADOW_MAP_SIZE } from './shade/key-shadow.ts';

/** Samples along each side of a pixel. */
export const SUPERSAMPLING = 2;

const SIZE = THUMBNAIL_SIZE * SUPERSAMPLING;

/** What a scene is drawn on. */
export interface Canvas {
  readonly visible: VisibilityBuffer;
  /** What the key light sees. */
  readonly lit: VisibilityBuffer;
  /** Linear red, green, blue with premultiplied alpha per sample of `visible`. */
  readonly samples: Float32Array;
}

let canvas: Canvas | undefined;

/**
 * Returns the only canvas of this process, cleared: clearing fifty megabytes is cheaper than allocating them for each
 * picture. A picture must be finished before the canvas is requested for the next one.
 */
export function emptyCanvas(): Canvas {
  if (canvas === undefined) {
    canvas = {
      visible: createVisibilityBuffer(SIZE),
      lit: createVisibilityBuffer(SHADOW_MAP_SIZE),
      samples: new Float32Array(SIZE * SIZE * 4),
    };
  } else {
    for (const { inverseDepth, triangle } of [canvas.visible, canvas.lit]) {
      inverseDepth.fill(0);
      triangle.fill(-1);
    }
    canvas.samples.fill(0);
  }
  return canvas;
}
