import { type Camera, eyePosition } from '../camera.ts';
import type { Draw } from '../rasterise/draw.ts';
import { createVisibilityBuffer, rasteriseOpaque } from '../rasterise/visibility.ts';

const SIZE = 256;
const DARKEST = 0.42;

/** The soft shadow of a model on the floor under its lowest point. */
export interface ContactShadow {
  /** How dark, 0 to 1, the floor is where the ray through a place of the picture (−1 to 1, y up) meets it. */
  darkness(x: number, y: number): number;
}

/**
 * Looks at the model from below and lets every column darken the floor by how near it comes; a tight blur of what
 * touches and a wide one of what hovers make the shadow.
 */
export function castContactShadow(camera: Camera, draws: readonly Draw[]): ContactShadow {
  const box = extent(draws);
  const span = Math.max(box.maxX - box.minX, box.maxZ - box.minZ, (box.maxY - box.minY) * 0.2, 1e-9);
  const width = span * 1.7;
  const scale = SIZE / width;
  const left = (box.minX + box.maxX) / 2 - width / 2;
  const front = (box.minZ + box.maxZ) / 2 - width / 2;
  const tall = Math.max(box.maxY - box.minY, 1e-9);

  const heights = createVisibilityBuffer(SIZE);
  for (const draw of draws) {
    const view = new Float32Array(draw.positions.length);
    for (let i = 0; i + 2 < view.length; i += 3) {
      view[i] = ((draw.positions[i] as number) - left) * scale;
      view[i + 1] = ((draw.positions[i + 2] as number) - front) * scale;
      view[i + 2] = 1 / (1 + ((draw.positions[i + 1] as number) - box.minY) / tall);
    }
    rasteriseOpaque(heights, { ...draw, material: { ...draw.material, doubleSided: true } }, view);
  }
  const shade = combine(heights.inverseDepth, tall / span);
  const eye = eyePosition(camera);
  return {
    darkness(x, y) {
      const { right, up, back, slope } = camera;
      const along = (k: 0 | 1 | 2) => (right[k] * x + up[k] * y) * slope - back[k];
      const drop = along(1);
      if (drop >= -1e-6) return 0;
      const reach = (box.minY - eye[1]) / drop;
      return lookUp(
        shade,
        (eye[0] + along(0) * reach - left) * scale,
        (eye[2] + along(2) * reach - front) * scale,
      );
    },
  };
}

function combine(nearness: Float32Array, tallness: number): Float32Array {
  const touching = new Float32Array(nearness.length);
  const hovering = new Float32Array(nearness.length);
  for (let cell = 0; cell < nearness.length; cell++) {
    const near = nearness[cell] as number;
    if (near === 0) continue;
    const height = (1 / near - 1) * tallness;
    touching[cell] = Math.exp(-height / 0.03);
    hovering[cell] = Math.exp(-height / 0.3);
  }
  blur(touching, 4);
  blur(hovering, 13);
  return touching.map(
    (value, cell) => DARKEST * Math.min(1, 0.75 * value + 0.85 * (hovering[cell] as number)),
  );
}

/** Three box blurs, which come close to a Gaussian. */
function blur(values: Float32Array, radius: number): void {
  const line = new Float32Array(SIZE);
  for (let round = 0; round < 3; round++) {
    for (let row = 0; row < SIZE; row++) {
      blurLine(values, row * SIZE, 1, radius, line);
    }
    for (let column = 0; column < SIZE; column++) {
      blurLine(values, column, SIZE, radius, line);
    }
  }
}

function blurLine(
  values: Float32Array,
  start: number,
  step: number,
  radius: number,
  line: Float32Array,
): void {
  let sum = 0;
  const value = (index: number) =>
    index < 0 || index >= SIZE ? 0 : (values[start + index * step] as number);
  for (let index = -radius; index < radius; index++) sum += value(index);
  for (let index = 0; index < SIZE; index++) {
    sum += value(index + radius);
    line[index] = Math.max(0, sum) / (2 * radius + 1);
    sum -= value(index - radius);
  }
  for (let index = 0; index < SIZE; index++) values[start + index * step] = line[index] as number;
}

function lookUp(map: Float32Array, x: number, y: number): number {
  const x0 = Math.floor(x - 0.5);
  const y0 = Math.floor(y - 0.5);
  if (x0 < 0 || y0 < 0 || x0 >= SIZE - 1 || y0 >= SIZE - 1) return 0;
  const fx = x - 0.5 - x0;
  const fy = y - 0.5 - y0;
  const at = y0 * SIZE + x0;
  const top = (map[at] as number) * (1 - fx) + (map[at + 1] as number) * fx;
  const bottom = (map[at + SIZE] as number) * (1 - fx) + (map[at + SIZE + 1] as number) * fx;
  return top * (1 - fy) + bottom * fy;
}

function extent(draws: readonly Draw[]) {
  const box = {
    minX: Infinity,
    maxX: -Infinity,
    minY: Infinity,
    maxY: -Infinity,
    minZ: Infinity,
    maxZ: -Infinity,
  };
  for (const { positions, indices } of draws) {
    for (const vertex of indices) {
      const x = positions[vertex * 3] as number;
      const y = positions[vertex * 3 + 1] as number;
      const z = positions[vertex * 3 + 2] as number;
      if (x < box.minX) box.minX = x;
      if (x > box.maxX) box.maxX = x;
      if (y < box.minY) box.minY = y;
      if (y > box.maxY) box.maxY = y;
      if (z < box.minZ) box.minZ = z;
      if (z > box.maxZ) box.maxZ = z;
    }
  }
  return box;
}
