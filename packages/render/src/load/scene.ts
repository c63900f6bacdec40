import { Unrenderable } from '../errors.ts';
import { type AssetFiles, shown } from '../files.ts';
import type { Budget } from '../limits.ts';
import type { Scene } from '../scene.ts';
import { loadMesh } from './mesh.ts';
import { loadMjcf } from './mjcf.ts';
import type { TextureLoader } from './textures.ts';
import { loadUrdf } from './urdf.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly textures: TextureLoader;
}

/** The scene of an asset whose kind is `mjcf`, `urdf` or `mesh`. */
export async function loadScene(kind: string, entry: string, context: LoadContext): Promise<Scene> {
  switch (kind) {
    case 'mesh':
      return loadMesh(entry, context);
    case 'mjcf':
      return loadMjcf(entry, context);
    case 'urdf':
      return loadUrdf(entry, context);
    default:
      throw new Unrenderable(`no thumbnails for assets of kind ${shown(kind)}`);
  }
}
