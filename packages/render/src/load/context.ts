import { AssetFiles, type FileSource } from '../files.ts';
import { Budget, type RenderLimits } from '../limits.ts';
import { OmissionLog } from '../omissions.ts';
import { type ImageDecoder, TextureLoader } from './textures.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly omissions: OmissionLog;
  readonly textures: TextureLoader;
}

export function createLoadContext(
  source: FileSource,
  images: ImageDecoder,
  limits?: Partial<RenderLimits>,
): LoadContext {
  const budget = new Budget(limits);
  const files = new AssetFiles(source, budget);
  const omissions = new OmissionLog();
  return { files, budget, omissions, textures: new TextureLoader(files, budget, omissions, images) };
}
