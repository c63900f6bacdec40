import type { Shader } from '../shade/shader.ts';
import { SurfaceReader } from '../shade/surface.ts';
import type { Draw } from './draw.ts';
import { type VisibilityBuffer, visitTriangle } from './visibility.ts';

/** Blends the translucent draws over the picture, farthest triangle first. */
export function blendDraws(
  visible: VisibilityBuffer,
  draws: readonly Draw[],
  screens: readonly Float32Array[],
  shader: Shader,
  samples: Float32Array,
): void {
  const readers = draws.map((draw, index) => new SurfaceReader(draw, screens[index] as Float32Array, 1));
  for (const { index, first } of farthestFirst(draws, screens)) {
    const reader = readers[index] as SurfaceReader;
    visitTriangle(
      visible.size,
      reader.draw,
      screens[index] as Float32Array,
      first,
      (sample, inverseDepth, u, v) => {
        if (inverseDepth < (visible.inverseDepth[sample] as number)) return;
        reader.enter(first);
        shader.shade(reader, u, v, 1);
        compositeOver(samples, sample * 4, shader.color);
      },
    );
  }
}

interface DepthSortedTriangle {
  readonly index: number;
  readonly first: number;
  readonly nearness: number;
}

function farthestFirst(draws: readonly Draw[], screens: readonly Float32Array[]): DepthSortedTriangle[] {
  const placed: DepthSortedTriangle[] = [];
  for (const [index, draw] of draws.entries()) {
    if (draw.material.alphaMode !== 'blend') continue;
    const screen = screens[index] as Float32Array;
    const w = (corner: number) => screen[(draw.indices[corner] as number) * 3 + 2] as number;
    for (let first = 0; first + 2 < draw.indices.length; first += 3) {
      placed.push({ index, first, nearness: w(first) + w(first + 1) + w(first + 2) });
    }
  }
  return placed.sort((a, b) => a.nearness - b.nearness || a.index - b.index || a.first - b.first);
}

/** "Over" of Porter and Duff on premultiplied samples. */
function compositeOver(samples: Float32Array, at: number, color: Float32Array): void {
  const alpha = color[3] as number;
  for (let k = 0; k < 3; k++) {
    samples[at + k] = (color[k] as number) * alpha + (samples[at + k] as number) * (1 - alpha);
  }
  samples[at + 3] = alpha + (samples[at + 3] as number) * (1 - alpha);
}
