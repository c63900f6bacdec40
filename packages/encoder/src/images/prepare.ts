import type { ImageDescription } from '../description.ts';
import { type Picture, resample, type Window } from './resample.ts';

/**
 * Returns the model's input for a picture: `[3, size, size]`, the red plane first, `(value / 255 - mean) / std`.
 * Sizes as in open_clip `transform.py`.
 */
export function prepareImage(picture: Picture, description: ImageDescription): Float32Array {
  const { size, mean, std } = description;
  const { width, height, window } = fit(picture, description);
  const { pixels } = resample(picture, width, height, window);
  const plane = size * size;
  const numbers = new Float32Array(3 * plane);
  for (const channel of [0, 1, 2] as const) {
    for (let at = 0; at < plane; at++) {
      numbers[channel * plane + at] =
        ((pixels[at * 3 + channel] as number) / 255 - mean[channel]) / std[channel];
    }
  }
  return numbers;
}

function fit(
  { width, height }: Picture,
  { size, resize }: ImageDescription,
): { width: number; height: number; window: Window } {
  if (resize === 'squash') {
    return { width: size, height: size, window: { left: 0, top: 0, width: size, height: size } };
  }
  // As in torchvision's Resize, the longer side is truncated to an integer, not rounded.
  const longer = Math.trunc((size * Math.max(width, height)) / Math.min(width, height));
  const fitted = width < height ? { width: size, height: longer } : { width: longer, height: size };
  const left = roundHalfToEven((fitted.width - size) / 2);
  const top = roundHalfToEven((fitted.height - size) / 2);
  return { ...fitted, window: { left, top, width: size, height: size } };
}

/** Python's `round`, which centre crops use. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
