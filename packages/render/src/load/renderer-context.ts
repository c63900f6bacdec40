import type { FileSource } from '../files.ts';
import type { RenderLimits } from '../limits.ts';
import { createLoadContext, type LoadContext } from './context.ts';
import { sharpImages } from './sharp-images.ts';

/** The context of loaders outside browsers. */
export function createRendererContext(source: FileSource, limits?: Partial<RenderLimits>): LoadContext {
  return createLoadContext(source, sharpImages, limits);
}
