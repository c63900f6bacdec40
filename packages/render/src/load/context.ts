import type { AssetFiles } from '../files.ts';
import { Budget } from '../limits.ts';
import { TextureLoader } from './textures.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly textures: TextureLoader;
}

/** The same files with nothing spent yet, for another attempt. */
export function renewed(context: LoadContext): LoadContext {
  const budget = new Budget(context.budget.limits);
  const files = context.files.countedBy(budget);
  return { files, budget, textures: new TextureLoader(files, budget) };
}
