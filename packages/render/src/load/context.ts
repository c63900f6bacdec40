import type { AssetFiles } from '../files.ts';
import type { Budget } from '../limits.ts';
import type { TextureLoader } from './textures.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly textures: TextureLoader;
}
