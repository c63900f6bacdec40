import { Unrenderable } from '../../errors.ts';
import { toMessageText } from '../../files.ts';
import type { SplatCloud } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { loadGltfSplats } from '../gltf/splats.ts';
import { extension } from '../mesh.ts';
import { loadKsplat } from './ksplat.ts';
import { loadPlySplats } from './ply.ts';
import { loadSog } from './sog.ts';
import { loadSogArchive } from './sog-archive.ts';
import { loadSplat } from './splat.ts';
import { loadSpz } from './spz.ts';
import { isLodIndex, loadStreamedSog } from './streamed-sog.ts';

/** Loads an asset of kind `splat`; the entry's extension determines the format. Undefined for a PLY without splats. */
export async function loadSplats(entry: string, context: LoadContext): Promise<SplatCloud | undefined> {
  const { files, budget } = context;
  switch (extension(entry)) {
    case 'ply':
      return loadPlySplats(await files.read(entry), budget);
    case 'splat':
      return loadSplat(await files.read(entry), budget);
    case 'ksplat':
      return loadKsplat(await files.read(entry), budget);
    case 'spz':
      return loadSpz(await files.read(entry), budget);
    case 'glb':
    case 'gltf':
      return loadGltfSplats(entry, context);
    case 'json':
      return isLodIndex(entry) ? loadStreamedSog(entry, context) : loadSog(entry, context);
    case 'sog':
      return loadSogArchive(entry, context);
    default:
      throw new Unrenderable(
        `no thumbnails for splats in ${toMessageText(extension(entry) || entry)} format`,
      );
  }
}
