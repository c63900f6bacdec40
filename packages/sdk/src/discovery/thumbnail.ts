import { compareUtf8 } from '@bindery/contract';
import { extensionOf, folderOf, stemOf } from './paths.ts';

const IMAGES = new Set(['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif']);
const STEMS = ['thumbnail', 'preview'];

/** The picture `thumbnail.*`, else `preview.*`, in the folder of the asset, in any letter case. */
export function findThumbnail(paths: readonly string[], folder: string): string | undefined {
  const pictures = paths.filter((path) => folderOf(path) === folder && IMAGES.has(extensionOf(path)));
  const named = (stem: string) => pictures.filter((path) => stemOf(path).toLowerCase() === stem);
  return STEMS.flatMap((stem) => named(stem).sort(compareUtf8))[0];
}
