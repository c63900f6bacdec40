import { image2sixel } from 'sixel/lib/SixelEncoder.js';
import type { Picture } from './protocols.ts';

const MAX_COLORS = 256;
const WHITE = 255;

/** Encodes a picture as sixels, pixel by pixel. They have no partial transparency, so the background is white. */
export function encodeSixel({ width, height, pixels }: Picture): string {
  return image2sixel(onWhite(pixels), width, height, MAX_COLORS);
}

function onWhite(pixels: Uint8Array): Uint8Array {
  const opaque = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = (pixels[at + 3] ?? 0) / 255;
    for (let part = at; part < at + 3; part++)
      opaque[part] = Math.round((pixels[part] ?? 0) * alpha + WHITE * (1 - alpha));
    opaque[at + 3] = 255;
  }
  return opaque;
}
