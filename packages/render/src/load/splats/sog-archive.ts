import { Unrenderable } from '../../errors.ts';
import { AssetFiles } from '../../files.ts';
import type { SplatCloud } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { openZip } from '../zip.ts';
import { loadSog } from './sog.ts';

/** `.sog`: a SOG folder as one ZIP archive. */
export async function loadSogArchive(path: string, context: LoadContext): Promise<SplatCloud> {
  const { files, budget, textures } = context;
  const inside = new AssetFiles(openZip(await files.read(path)), budget);
  const meta = inside.resolve('', 'meta.json');
  if (meta === undefined) throw new Unrenderable('the SOG archive has no meta.json');
  return loadSog(meta, { ...context, files: inside, textures: textures.withFiles(inside) });
}
