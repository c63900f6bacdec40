import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { readAssetFile } from '../../files/asset-files.ts';
import { addressesOf, imagePathOf, pathOf } from '../../files/readme-links.ts';
import type { ReadmeSource } from '../../parts/readme.tsx';
import { assetQuery, type LibraryKey } from '../../queries.ts';
import { queries } from '../../session.ts';
import { stringifySearch } from '../../url.ts';
import { isPreviewed } from './tree.ts';

const README = /^readme(\.(md|markdown|txt))?$/i;

/** Bytes. Longer READMEs are only listed among the files. */
const MAX_README = 512 * 1024;

/** Returns an asset's README; of several, the one highest in the tree. Null if there is none. */
export function readmeOf({ files }: Pick<AssetDetail, 'files'>): PresignedFile | null {
  const found = files.filter(({ path, size }) => README.test(baseName(path)) && size <= MAX_README);
  return found.sort((one, other) => depthOf(one) - depthOf(other))[0] ?? null;
}

/** The README of an asset; its images are the asset's own files, and so are its links, which open those that are read there. */
export function readmeSource(library: LibraryKey, asset: AssetDetail, file: PresignedFile): ReadmeSource {
  const query = assetQuery(library, asset.id);
  const fileAt = async (path: string | null) =>
    (await queries.fetchQuery(query)).files.find((one) => one.path === path);
  return {
    of: query.queryKey,
    file,
    read: (signal) => readAssetFile(library, asset, file.path, signal),
    pictures: (hrefs) =>
      addressesOf(hrefs, async (href) => (await fileAt(imagePathOf(file.path, href)))?.url),
    links: (hrefs) =>
      addressesOf(hrefs, async (href) => {
        const found = await fileAt(pathOf(file.path, href));
        if (!found || !isPreviewed(found)) return found?.url;
        const { namespace, library: name, share, release } = library;
        return `/app/${namespace}/${name}/${asset.id}${stringifySearch({ share, release, file: found.path })}`;
      }),
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function depthOf({ path }: PresignedFile): number {
  return path.split('/').length;
}
