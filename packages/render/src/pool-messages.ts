import type { RenderLimits } from './limits.ts';

/** An asset to draw, as the pool tells one of its processes; its files are asked for by their paths. */
export interface RenderTask {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  readonly sizes: ReadonlyMap<string, number>;
  readonly limits: Partial<RenderLimits> | undefined;
}
