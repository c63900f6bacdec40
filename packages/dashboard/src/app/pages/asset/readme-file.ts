import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { readAssetFile } from '../../files/asset-files.ts';
import { imagePathOf } from '../../files/readme-links.ts';
import type { ReadmeSource } from '../../parts/readme.tsx';
import type { LibraryKey } from '../../queries.ts';

const README = /^readme(\.(md|markdown|txt))?$/i;

/** Bytes. Longer READMEs are only listed among the files. */
const MAX_README = 512 * 1024;

/** Returns an asset's README; of several, the one highest in the tree. Null if there is none. */
export function readmeOf({ files }: Pick<AssetDetail, 'files'>): PresignedFile | null {
  const found = files.filter(({ path, size }) => README.test(baseName(path)) && size <= MAX_README);
  return found.sort((one, other) => depthOf(one) - depthOf(other))[0] ?? null;
}

/** The README of an asset; its images are the asset's own files. */
export function readmeSource(library: LibraryKey, asset: AssetDetail, file: PresignedFile): ReadmeSource {
  return {
    file,
    read: (signal) => readAssetFile(library, asset, file.path, signal),
    pictures: async (hrefs) =>
      new Map(
        hrefs.flatMap((href) => {
          const path = imagePathOf(file.path, href);
          const picture = asset.files.find((one) => one.path === path);
          return picture === undefined ? [] : [[href, picture.url] as const];
        }),
      ),
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function depthOf({ path }: PresignedFile): number {
  return path.split('/').length;
}
