const HUES = 9;
const SHADES = 3;
const GREYS = 5;

export const COLOR_BINS = HUES * SHADES + GREYS;

/** Below this range between its channels a colour counts as a grey, from twice it on as a hue. */
const FAINT = 0.08;

/** How many of the colours have which hue and brightness. r, g, b per colour, sRGB, 0 to 1. Sums to 1. */
export function colorHistogram(colors: Float32Array): Float64Array {
  const histogram = new Float64Array(COLOR_BINS);
  const share = 3 / colors.length;
  for (let at = 0; at + 2 < colors.length; at += 3) {
    const [r, g, b] = [colors[at] as number, colors[at + 1] as number, colors[at + 2] as number];
    const most = Math.max(r, g, b);
    const range = most - Math.min(r, g, b);
    const chroma = Math.min(1, Math.max(0, range / FAINT - 1));
    if (chroma > 0) {
      // Each colour counts in the two nearest hues, so that none falls into another by a small change.
      const place = (hueOf(r, g, b, most, range) * HUES) % HUES;
      const hue = Math.floor(place);
      const shade = Math.min(SHADES - 1, Math.floor(most * SHADES));
      add(histogram, hue * SHADES + shade, share * chroma * (1 - (place - hue)));
      add(histogram, ((hue + 1) % HUES) * SHADES + shade, share * chroma * (place - hue));
    }
    add(histogram, HUES * SHADES + Math.min(GREYS - 1, Math.floor(most * GREYS)), share * (1 - chroma));
  }
  return histogram;
}

function add(histogram: Float64Array, bin: number, share: number): void {
  (histogram[bin] as number) += share;
}

/** From 0 for red around the circle to 1. */
function hueOf(r: number, g: number, b: number, most: number, range: number): number {
  if (most === r) return ((g - b) / range / 6 + 1) % 1;
  return most === g ? ((b - r) / range + 2) / 6 : ((r - g) / range + 4) / 6;
}
