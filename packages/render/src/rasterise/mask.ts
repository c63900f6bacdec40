import { SurfaceReader } from '../shade/surface.ts';
import type { Draw } from './draw.ts';
import { type VisibilityBuffer, visitTriangle } from './visibility.ts';

/** Rasterises the triangles of an alpha-masked draw: samples below the cutoff are holes. */
export function rasteriseMasked(buffer: VisibilityBuffer, draw: Draw, screen: Float32Array): void {
  const reader = new SurfaceReader(draw, screen, 1);
  const cutoff = draw.material.alphaCutoff;
  for (let first = 0; first + 2 < draw.indices.length; first += 3) {
    const id = draw.firstTriangle + first / 3;
    visitTriangle(buffer.size, draw, screen, first, (sample, inverseDepth, u, v) => {
      if (inverseDepth <= (buffer.inverseDepth[sample] as number)) return;
      reader.enter(first);
      if (reader.alphaAt(u, v) < cutoff) return;
      buffer.inverseDepth[sample] = inverseDepth;
      buffer.triangle[sample] = id;
    });
  }
}
