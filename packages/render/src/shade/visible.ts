import type { Draw } from '../rasterise/draw.ts';
import type { VisibilityBuffer } from '../rasterise/visibility.ts';
import type { Shader } from './shader.ts';
import { SurfaceReader } from './surface.ts';

/** Colours every sample that sees a triangle. `open` has one value for each block of samples that makes a pixel. */
export function shadeVisible(
  visible: VisibilityBuffer,
  draws: readonly Draw[],
  screens: readonly Float32Array[],
  shader: Shader,
  open: Float32Array,
  samples: Float32Array,
): void {
  const { size, triangle } = visible;
  const pixels = Math.sqrt(open.length);
  const readers = draws.map((draw, index) => new SurfaceReader(draw, screens[index] as Float32Array));
  let index = 0;
  for (let sample = 0; sample < triangle.length; sample++) {
    const id = triangle[sample] as number;
    if (id < 0) continue;
    if (!owns(draws[index] as Draw, id)) index = drawOf(draws, id);
    const draw = draws[index] as Draw;
    const reader = readers[index] as SurfaceReader;
    const first = (id - draw.firstTriangle) * 3;
    const y = Math.floor(sample / size);
    const x = sample - y * size;
    reader.enter(first);
    const [u, v] = weightsAt(draw, screens[index] as Float32Array, first, x + 0.5, y + 0.5);
    const pixel = Math.floor((y * pixels) / size) * pixels + Math.floor((x * pixels) / size);
    shader.shade(reader, u, v, open[pixel] as number);
    samples[sample * 4] = shader.color[0] as number;
    samples[sample * 4 + 1] = shader.color[1] as number;
    samples[sample * 4 + 2] = shader.color[2] as number;
    samples[sample * 4 + 3] = 1;
  }
}

function owns(draw: Draw, triangle: number): boolean {
  return triangle >= draw.firstTriangle && triangle < draw.firstTriangle + draw.indices.length / 3;
}

function drawOf(draws: readonly Draw[], triangle: number): number {
  let low = 0;
  let high = draws.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((draws[middle] as Draw).firstTriangle <= triangle) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Screen-space weights of the second and third corner at a place inside a triangle. */
function weightsAt(draw: Draw, screen: Float32Array, first: number, x: number, y: number): [number, number] {
  const a = (draw.indices[first] as number) * 3;
  const b = (draw.indices[first + 1] as number) * 3;
  const c = (draw.indices[first + 2] as number) * 3;
  const ax = screen[a] as number;
  const ay = screen[a + 1] as number;
  const bx = (screen[b] as number) - ax;
  const by = (screen[b + 1] as number) - ay;
  const cx = (screen[c] as number) - ax;
  const cy = (screen[c + 1] as number) - ay;
  const area = bx * cy - by * cx;
  const dx = x - ax;
  const dy = y - ay;
  return [(cy * dx - cx * dy) / area, (bx * dy - by * dx) / area];
}
