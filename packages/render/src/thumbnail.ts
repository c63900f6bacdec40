import { drawScene } from './draw-scene.ts';
import { drawSplats } from './draw-splats.ts';
import { encodeWebp } from './encode.ts';
import { Unrenderable } from './errors.ts';
import { AssetFiles, type FileSource, shown } from './files.ts';
import { Budget, type RenderLimits } from './limits.ts';
import type { LoadContext } from './load/context.ts';
import { loadImage } from './load/image.ts';
import { extension, loadMesh } from './load/mesh.ts';
import { loadMjcf } from './load/mjcf/mjcf.ts';
import { loadSplats } from './load/splats/splats.ts';
import { TextureLoader } from './load/textures.ts';
import { loadUrdf, RUN_XACRO } from './load/urdf.ts';
import type { Picture } from './picture.ts';

/** What to draw: an asset's viewer tokens and its files. */
export interface ThumbnailRequest {
  readonly kind: string;
  readonly format?: string | undefined;
  /** The file a viewer opens. */
  readonly entry: string;
  readonly files: FileSource;
  readonly limits?: Partial<RenderLimits> | undefined;
}

/**
 * Names how pictures are drawn: another version may draw other pixels of the same files. A test fails until it
 * is counted up with such a change, so that pictures kept by earlier versions are drawn anew.
 */
export const RENDERER_VERSION = '6';

/** `transient` warnings are about time, memory or the machine: another try may succeed. */
export type Thumbnail =
  | { readonly webp: Uint8Array }
  | { readonly warning: string; readonly transient?: boolean };

/**
 * The thumbnail of an asset as WebP, 640 pixels on its longer side, transparent around the model; or a warning in
 * words when it cannot be drawn. Never rejects. The same bytes in give the same bytes out.
 */
export async function renderThumbnail(request: ThumbnailRequest): Promise<Thumbnail> {
  try {
    return { webp: await encodeWebp(await drawAsset(request)) };
  } catch (error) {
    return { warning: warningOf(error) };
  }
}

async function drawAsset({ kind, entry, files: source, limits }: ThumbnailRequest): Promise<Picture> {
  const budget = new Budget(limits);
  const files = new AssetFiles(source, budget);
  const context = { files, budget, textures: new TextureLoader(files, budget) };
  switch (kind) {
    case 'mesh':
      return drawScene(await loadMesh(entry, context));
    case 'mjcf':
      return drawScene(await loadMjcf(entry, context));
    case 'urdf':
      return drawScene(await loadUrdf(entry, context));
    case 'splat':
      return drawSplatAsset(entry, context);
    case 'image':
      return loadImage(await files.read(entry), budget);
    case 'file':
      throw new Unrenderable(
        [...files.paths].some((path) => extension(path) === 'xacro')
          ? RUN_XACRO
          : 'no thumbnails for assets of kind file',
      );
    default:
      throw new Unrenderable(`no thumbnails for assets of kind ${shown(kind)}`);
  }
}

/** Any PLY file may stand under this kind; one without splats is drawn as the mesh or the points that it is. */
async function drawSplatAsset(entry: string, context: LoadContext): Promise<Picture> {
  const cloud = await loadSplats(entry, context);
  return cloud === undefined ? drawScene(await loadMesh(entry, context)) : drawSplats(cloud);
}

function warningOf(error: unknown): string {
  if (error instanceof Unrenderable) return error.message;
  return `cannot be drawn: ${shown(error instanceof Error ? error.message : String(error))}`;
}
