import type { RenderLimits } from './limits.ts';

/** An asset to draw, as the pool sends it to a process, which requests the files by path. */
export interface RenderTask {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  readonly sizes: ReadonlyMap<string, number>;
  readonly limits: Partial<RenderLimits> | undefined;
}
