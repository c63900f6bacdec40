import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { readAssetFile } from '../../files/asset-files.ts';
import { imagePathOf, pathOf } from '../../files/readme-links.ts';
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

/** The README of an asset; its images are the asset's own files. */
export function readmeSource(library: LibraryKey, asset: AssetDetail, file: PresignedFile): ReadmeSource {
  return {
    of: assetQuery(library, asset.id).queryKey,
    file,
    read: (signal) => readAssetFile(library, asset, file.path, signal),
    links: (hrefs) => linksOf(library, asset.id, file.path, hrefs),
    async pictures(hrefs) {
      const { files } = await queries.fetchQuery(assetQuery(library, asset.id));
      return new Map(
        hrefs.flatMap((href) => {
          const path = imagePathOf(file.path, href);
          const picture = files.find((one) => one.path === path);
          return picture === undefined ? [] : [[href, picture.url] as const];
        }),
      );
    },
  };
}

/** The pages of a README's relative links: a file that is read there, or else the file itself. */
async function linksOf(
  library: LibraryKey,
  asset: string,
  readme: string,
  hrefs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { files } = await queries.fetchQuery(assetQuery(library, asset));
  return new Map(
    hrefs.flatMap((href) => {
      const path = pathOf(readme, href);
      const file = files.find((one) => one.path === path);
      if (!file) return [];
      if (!isPreviewed(file)) return [[href, file.url] as const];
      const { namespace, library: name, share, release } = library;
      const search = stringifySearch({ share, release, file: file.path });
      return [[href, `/app/${namespace}/${name}/${asset}${search}`] as const];
    }),
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function depthOf({ path }: PresignedFile): number {
  return path.split('/').length;
}
