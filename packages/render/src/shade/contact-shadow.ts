import { boundsOf } from '@bindery/formats/model/bounds';
import { type Camera, eyePosition } from '../camera.ts';
import type { Draw } from '../rasterise/draw.ts';
import { createVisibilityBuffer, rasterise } from '../rasterise/visibility.ts';

/** Cells along each side of the floor's map, for each pixel of the picture. */
const CELLS_PER_PIXEL = 0.4;
/** How far the shadows of what touches the floor, and of what hovers above it, spread: shares of the map. */
const TIGHT = 4 / 256;
const WIDE = 13 / 256;
const DARKEST = 0.42;

/**
 * The darkness, 0 to 1, of a model's soft shadow on the floor under its lowest point, for each pixel of a square
 * picture. The shadow fades out before the border.
 */
export function contactShadow(camera: Camera, draws: readonly Draw[], pixels: number): Float32Array {
  const out = new Float32Array(pixels * pixels);
  if (draws.length === 0) return out;
  const floor = shadeFloor(draws, Math.round(pixels * CELLS_PER_PIXEL));
  const [eyeX, eyeY, eyeZ] = eyePosition(camera);
  const { right, up, back, slope } = camera;
  for (let y = 0; y < pixels; y++) {
    const py = 1 - ((y + 0.5) / pixels) * 2;
    // The camera does not roll: all pixels of a row look down at the same angle.
    const drop = up[1] * py * slope - back[1];
    if (drop >= -1e-6) continue;
    const reach = (floor.height - eyeY) / drop;
    const startX = (eyeX + (up[0] * py * slope - back[0]) * reach - floor.left) * floor.scale;
    const startZ = (eyeZ + (up[2] * py * slope - back[2]) * reach - floor.front) * floor.scale;
    const stepX = right[0] * slope * reach * floor.scale;
    const stepZ = right[2] * slope * reach * floor.scale;
    for (let x = 0; x < pixels; x++) {
      const px = ((x + 0.5) / pixels) * 2 - 1;
      const darkness = lookUp(floor, startX + stepX * px, startZ + stepZ * px);
      if (darkness > 0) out[y * pixels + x] = darkness * fadeAtBorder(px, py);
    }
  }
  return out;
}

/** 0 at the border of the picture (−1 to 1), 1 well inside. */
function fadeAtBorder(x: number, y: number): number {
  const t = Math.min(1, Math.max(0, (0.985 - Math.max(Math.abs(x), Math.abs(y))) / 0.22));
  return t * t * (3 - 2 * t);
}

/** Darkness over a square of the floor, in cells along X and Z. */
interface Floor {
  readonly map: Float32Array;
  readonly size: number;
  readonly height: number;
  readonly left: number;
  readonly front: number;
  /** Cells per unit of length. */
  readonly scale: number;
}

/**
 * Rasterises the model from below; each cell of the floor is darkened by how close the model comes to it. The shadow is
 * the sum of a tight blur of what touches the floor and a wide one of what hovers above it.
 */
function shadeFloor(draws: readonly Draw[], size: number): Floor {
  const { minX, maxX, minY, maxY, minZ, maxZ } = boundsOf(draws.map(({ positions }) => positions));
  const span = Math.max(maxX - minX, maxZ - minZ, (maxY - minY) * 0.2, 1e-9);
  const width = span * 1.7;
  const scale = size / width;
  const left = (minX + maxX) / 2 - width / 2;
  const front = (minZ + maxZ) / 2 - width / 2;
  const tall = Math.max(maxY - minY, 1e-9);

  const nearness = createVisibilityBuffer(size);
  for (const { indices, positions } of draws) {
    const view = new Float32Array(positions.length);
    for (let i = 0; i + 2 < view.length; i += 3) {
      view[i] = ((positions[i] as number) - left) * scale;
      view[i + 1] = ((positions[i + 2] as number) - front) * scale;
      view[i + 2] = 1 / (1 + ((positions[i + 1] as number) - minY) / tall);
    }
    rasterise(nearness, indices, 0, view, 0);
  }
  const map = combine(nearness.inverseDepth, size, tall / span);
  return { map, size, height: minY, left, front, scale };
}

function combine(nearness: Float32Array, size: number, tallness: number): Float32Array {
  const touching = new Float32Array(nearness.length);
  const hovering = new Float32Array(nearness.length);
  for (let cell = 0; cell < nearness.length; cell++) {
    const near = nearness[cell] as number;
    if (near === 0) continue;
    const height = (1 / near - 1) * tallness;
    touching[cell] = Math.exp(-height / 0.03);
    hovering[cell] = Math.exp(-height / 0.3);
  }
  blur(touching, size, Math.round(size * TIGHT));
  blur(hovering, size, Math.round(size * WIDE));
  for (let cell = 0; cell < touching.length; cell++) {
    const sum = 0.75 * (touching[cell] as number) + 0.85 * (hovering[cell] as number);
    touching[cell] = DARKEST * Math.min(1, sum);
  }
  return touching;
}

/** Three box blurs, which approximate a Gaussian. */
function blur(values: Float32Array, size: number, radius: number): void {
  const line = new Float32Array(size + 2 * radius);
  for (let round = 0; round < 3; round++) {
    for (let row = 0; row < size; row++) blurLine(values, size, row * size, 1, radius, line);
    for (let column = 0; column < size; column++) blurLine(values, size, column, size, radius, line);
  }
}

/** `line` has room for the values with `radius` zeros before and after them. */
function blurLine(
  values: Float32Array,
  size: number,
  start: number,
  step: number,
  radius: number,
  line: Float32Array,
): void {
  for (let index = 0; index < size; index++) line[radius + index] = values[start + index * step] as number;
  const share = 1 / (2 * radius + 1);
  let sum = 0;
  for (let index = radius; index < 2 * radius; index++) sum += line[index] as number;
  for (let index = 0; index < size; index++) {
    sum += line[index + 2 * radius] as number;
    values[start + index * step] = Math.max(0, sum) * share;
    sum -= line[index] as number;
  }
}

function lookUp({ map, size }: Floor, x: number, y: number): number {
  const x0 = Math.floor(x - 0.5);
  const y0 = Math.floor(y - 0.5);
  if (x0 < 0 || y0 < 0 || x0 >= size - 1 || y0 >= size - 1) return 0;
  const fx = x - 0.5 - x0;
  const fy = y - 0.5 - y0;
  const at = y0 * size + x0;
  const top = (map[at] as number) * (1 - fx) + (map[at + 1] as number) * fx;
  const bottom = (map[at + size] as number) * (1 - fx) + (map[at + size + 1] as number) * fx;
  return top * (1 - fy) + bottom * fy;
}
