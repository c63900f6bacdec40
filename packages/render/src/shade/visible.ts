import type { Draw } from '../rasterise/draw.ts';
import type { VisibilityBuffer } from '../rasterise/visibility.ts';
import type { Shader } from './shader.ts';
import { SurfaceReader } from './surface.ts';

/** Cosine of the angle between normals, and share of the depth, within which samples of a pixel are shaded as one. */
const SAME_NORMAL = 0.95;
const SAME_DEPTH = 0.01;

/**
 * Colours every sample that sees a triangle. The `blockSize` × `blockSize` samples of a pixel that see the same surface
 * are shaded once; `ambientVisibility` has one value for each pixel.
 */
export function shadeVisible(
  visible: VisibilityBuffer,
  draws: readonly Draw[],
  screens: readonly Float32Array[],
  shader: Shader,
  ambientVisibility: Float32Array,
  blockSize: number,
  samples: Float32Array,
): void {
  const { size } = visible;
  const shading = new SampleShading(visible, draws, screens, shader, blockSize, samples);
  const pixels = size / blockSize;
  for (let y = 0; y < pixels; y++) {
    for (let x = 0; x < pixels; x++) {
      shading.shadePixel(x, y, ambientVisibility[y * pixels + x] as number);
    }
  }
}

class SampleShading {
  readonly #visible: VisibilityBuffer;
  readonly #draws: readonly Draw[];
  readonly #screens: readonly Float32Array[];
  readonly #readers: readonly SurfaceReader[];
  readonly #shader: Shader;
  readonly #blockSize: number;
  readonly #samples: Float32Array;
  /** Index of the draw that was found last. */
  #draw = 0;

  constructor(
    visible: VisibilityBuffer,
    draws: readonly Draw[],
    screens: readonly Float32Array[],
    shader: Shader,
    blockSize: number,
    samples: Float32Array,
  ) {
    this.#visible = visible;
    this.#draws = draws;
    this.#screens = screens;
    this.#readers = draws.map(
      (draw, index) => new SurfaceReader(draw, screens[index] as Float32Array, blockSize),
    );
    this.#shader = shader;
    this.#blockSize = blockSize;
    this.#samples = samples;
  }

  shadePixel(x: number, y: number, open: number): void {
    const { size, triangle } = this.#visible;
    const block = this.#blockSize;
    const corner = (y * size + x) * block;
    const seen = triangle[corner] as number;
    if (seeOnly(seen, triangle, corner, size, block)) {
      if (seen < 0) return;
      this.#shade(seen, (x + 0.5) * block, (y + 0.5) * block, open);
      for (let row = 0; row < block; row++) {
        for (let column = 0; column < block; column++) this.#keepColor(corner + row * size + column);
      }
      return;
    }
    const samples = this.#samples;
    for (let row = 0; row < block; row++) {
      for (let column = 0; column < block; column++) {
        const sample = corner + row * size + column;
        const id = triangle[sample] as number;
        if (id < 0) continue;
        const like = this.#shadedAlike(corner, row * block + column, sample);
        if (like >= 0) {
          for (let k = 0; k < 4; k++) samples[sample * 4 + k] = samples[like * 4 + k] as number;
        } else {
          this.#shade(id, x * block + column + 0.5, y * block + row + 0.5, open);
          this.#keepColor(sample);
        }
      }
    }
  }

  /** An earlier sample of the pixel that sees the same surface, or −1; `sample` is number `count` of the pixel. */
  #shadedAlike(corner: number, count: number, sample: number): number {
    const { size, inverseDepth } = this.#visible;
    const depth = inverseDepth[sample] as number;
    for (let earlier = 0; earlier < count; earlier++) {
      const other = corner + Math.floor(earlier / this.#blockSize) * size + (earlier % this.#blockSize);
      const gap = Math.abs((inverseDepth[other] as number) - depth);
      if (gap <= SAME_DEPTH * depth && this.#isSameSurface(sample, other)) return other;
    }
    return -1;
  }

  #isSameSurface(sample: number, other: number): boolean {
    const { triangle } = this.#visible;
    const a = triangle[sample] as number;
    const b = triangle[other] as number;
    if (a === b) return true;
    if (b < 0) return false;
    const draw = this.#draws[this.#drawOf(a)] as Draw;
    if (!owns(draw, b)) return false;
    const { indices, normals, firstTriangle } = draw;
    const p = (indices[(a - firstTriangle) * 3] as number) * 3;
    const q = (indices[(b - firstTriangle) * 3] as number) * 3;
    const along =
      (normals[p] as number) * (normals[q] as number) +
      (normals[p + 1] as number) * (normals[q + 1] as number) +
      (normals[p + 2] as number) * (normals[q + 2] as number);
    return along > SAME_NORMAL;
  }

  /** Shades a triangle at a position in the picture, given in samples. */
  #shade(id: number, x: number, y: number, open: number): void {
    const index = this.#drawOf(id);
    const { indices, firstTriangle } = this.#draws[index] as Draw;
    const screen = this.#screens[index] as Float32Array;
    const reader = this.#readers[index] as SurfaceReader;
    const first = (id - firstTriangle) * 3;
    const a = (indices[first] as number) * 3;
    const b = (indices[first + 1] as number) * 3;
    const c = (indices[first + 2] as number) * 3;
    const ax = screen[a] as number;
    const ay = screen[a + 1] as number;
    const bx = (screen[b] as number) - ax;
    const by = (screen[b + 1] as number) - ay;
    const cx = (screen[c] as number) - ax;
    const cy = (screen[c + 1] as number) - ay;
    const area = bx * cy - by * cx;
    const dx = x - ax;
    const dy = y - ay;
    reader.enter(first);
    this.#shader.shade(reader, (cy * dx - cx * dy) / area, (bx * dy - by * dx) / area, open);
  }

  #keepColor(sample: number): void {
    const { color } = this.#shader;
    const samples = this.#samples;
    samples[sample * 4] = color[0] as number;
    samples[sample * 4 + 1] = color[1] as number;
    samples[sample * 4 + 2] = color[2] as number;
    samples[sample * 4 + 3] = 1;
  }

  #drawOf(id: number): number {
    const draws = this.#draws;
    if (owns(draws[this.#draw] as Draw, id)) return this.#draw;
    let low = 0;
    let high = draws.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((draws[middle] as Draw).firstTriangle <= id) low = middle;
      else high = middle - 1;
    }
    this.#draw = low;
    return low;
  }
}

/** Whether all samples of a pixel see this triangle. */
function seeOnly(id: number, triangle: Int32Array, corner: number, size: number, block: number): boolean {
  for (let row = corner; row < corner + block * size; row += size) {
    for (let sample = row; sample < row + block; sample++) if (triangle[sample] !== id) return false;
  }
  return true;
}

function owns(draw: Draw, triangle: number): boolean {
  return triangle >= draw.firstTriangle && triangle < draw.firstTriangle + draw.indices.length / 3;
}
