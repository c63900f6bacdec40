import type { FileSource } from '../files.ts';
import { Budget, type RenderLimits } from '../limits.ts';
import { OmissionLog } from '../omissions.ts';
import { createLoadContext, type LoadContext } from './context.ts';
import { sharpImages } from './sharp-images.ts';
import { TextureLoader } from './textures.ts';

/** The context of loaders outside browsers. */
export function createRendererContext(source: FileSource, limits?: Partial<RenderLimits>): LoadContext {
  return createLoadContext(source, sharpImages, limits);
}

/** A context for the same files with nothing spent yet, for another attempt. */
export function withFreshBudget({ files, budget: { limits } }: LoadContext): LoadContext {
  const budget = new Budget(limits);
  const omissions = new OmissionLog();
  const counted = files.countedBy(budget);
  return {
    files: counted,
    budget,
    omissions,
    textures: new TextureLoader(counted, budget, omissions, sharpImages),
  };
}
