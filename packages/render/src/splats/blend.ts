import type { Picture } from '@bindery/formats/images/pixels';
import type { ScreenSplats } from './project.ts';

/** A pixel with less transmittance than this is full. */
const FULL = 1 / 255;

/** Blends splats front to back, in display-referred colour, in which splats are trained. */
export function blendSplats(splats: ScreenSplats, size: number): Picture {
  const through = new Float32Array(size * size).fill(1);
  const sums = new Float32Array(size * size * 3);
  for (const splat of splats.order) blendOne(splats, splat, size, through, sums);
  return toPicture(through, sums, size);
}

function blendOne(
  { shapes, reach, colors }: ScreenSplats,
  splat: number,
  size: number,
  through: Float32Array,
  sums: Float32Array,
): void {
  const x = shapes[splat * 5] as number;
  const y = shapes[splat * 5 + 1] as number;
  const a = shapes[splat * 5 + 2] as number;
  const b = shapes[splat * 5 + 3] as number;
  const c = shapes[splat * 5 + 4] as number;
  const rx = reach[splat * 2] as number;
  const ry = reach[splat * 2 + 1] as number;
  const red = colors[splat * 4] as number;
  const green = colors[splat * 4 + 1] as number;
  const blue = colors[splat * 4 + 2] as number;
  const opacity = colors[splat * 4 + 3] as number;
  const right = Math.min(size - 1, x + rx - 0.5);
  const bottom = Math.min(size - 1, y + ry - 0.5);
  for (let py = Math.max(0, Math.ceil(y - ry - 0.5)); py <= bottom; py++) {
    // Screen y runs down while the shapes were measured upwards, which flips the sign of the mixed term.
    const dy = y - py - 0.5;
    for (let px = Math.max(0, Math.ceil(x - rx - 0.5)); px <= right; px++) {
      const pixel = py * size + px;
      const open = through[pixel] as number;
      if (open < FULL) continue;
      const dx = px + 0.5 - x;
      const alpha = Math.min(0.99, opacity * Math.exp(-0.5 * (a * dx * dx - 2 * b * dx * dy + c * dy * dy)));
      if (!(alpha >= FULL)) continue;
      const weight = open * alpha;
      sums[pixel * 3] = (sums[pixel * 3] as number) + weight * red;
      sums[pixel * 3 + 1] = (sums[pixel * 3 + 1] as number) + weight * green;
      sums[pixel * 3 + 2] = (sums[pixel * 3 + 2] as number) + weight * blue;
      through[pixel] = open - weight;
    }
  }
}

function toPicture(through: Float32Array, sums: Float32Array, size: number): Picture {
  const data = new Uint8Array(size * size * 4);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const alpha = 1 - (through[pixel] as number);
    if (alpha <= 0) continue;
    for (let k = 0; k < 3; k++) {
      data[pixel * 4 + k] = Math.round(
        Math.min(1, Math.max(0, (sums[pixel * 3 + k] as number) / alpha)) * 255,
      );
    }
    data[pixel * 4 + 3] = Math.round(alpha * 255);
  }
  return { width: size, height: size, data };
}
