import { AssetNotFoundError } from '../failures.ts';
import { formatLibraryAddress } from '../library/library-address.ts';
import { parseAssetsFile } from './assets-file.ts';
import { idsOf, type ReadRevisionParts, readRevision } from './locked-revision.ts';
import { matcherOf } from './resolve-uses.ts';
import { formatUse, libraryOf, type Use } from './use.ts';

/**
 * Throws `AssetNotFoundError` if an `assets.yml` uses what a library does not have: of the libraries of `uses`, which are
 * read. Throws what reading them throws.
 */
export async function refuseMissingUses(
  assetsFile: string,
  uses: readonly Use[],
  parts: Pick<ReadRevisionParts, 'clientFor' | 'objects' | 'signal'>,
): Promise<void> {
  const file = parseAssetsFile(assetsFile);
  const read = new Set(uses.map(libraryOf));
  for (const [library, ofIt] of Map.groupBy(file.uses, libraryOf)) {
    const address = ofIt[0]?.library;
    if (address === undefined || !read.has(library)) continue;
    const { manifest } = await readRevision(address, file.server, idsOf(ofIt), { ...parts, records: null });
    const missing = ofIt.filter(({ selector }) => !manifest.assets.some(matcherOf(selector, manifest)));
    if (missing.length > 0) throw new AssetNotFoundError(formatLibraryAddress(address), missing.map(nameOf));
  }
}

function nameOf({ selector, library }: Use): string {
  return selector.by === 'id'
    ? selector.id
    : formatUse({ selector, library, as: null }).slice(formatLibraryAddress(library).length + 1);
}
