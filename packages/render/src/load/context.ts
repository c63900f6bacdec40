import { AssetFiles, type FileSource } from '../files.ts';
import { Budget, type RenderLimits } from '../limits.ts';
import { OmissionLog } from '../omissions.ts';
import { TextureLoader } from './textures.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly omissions: OmissionLog;
  readonly textures: TextureLoader;
}

export function loadContext(source: FileSource, limits?: Partial<RenderLimits>): LoadContext {
  const budget = new Budget(limits);
  return withFiles(new AssetFiles(source, budget), budget);
}

/** The same files with nothing spent yet, for another attempt. */
export function renewed({ files, budget: { limits } }: LoadContext): LoadContext {
  const budget = new Budget(limits);
  return withFiles(files.countedBy(budget), budget);
}

function withFiles(files: AssetFiles, budget: Budget): LoadContext {
  const omissions = new OmissionLog();
  return { files, budget, omissions, textures: new TextureLoader(files, budget, omissions) };
}
