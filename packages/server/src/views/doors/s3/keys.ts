import { RESERVED_FOLDER } from '@bindery/contract';
import { rootFiles } from '../../../doors/root-files.ts';
import { nextTurn, turnIsOver } from '../../../process/turns.ts';
import type { ClosureFile } from '../../../revision/file-closure.ts';
import type { RevisionIndex } from '../../../revision/revision-index.ts';

export interface KeyQuery {
  /** What the keys begin with. */
  prefix: string;
  /** Keys that have it behind the prefix are one entry, that ends with it; empty for none. */
  delimiter: string;
  /** Only entries behind this one, in the order of UTF-8 bytes; empty for all. */
  after: string;
  /** The most entries. */
  limit: number;
}

export type KeyEntry = { key: string; file: ClosureFile } | { commonPrefix: string };

export interface KeyPage {
  entries: KeyEntry[];
  /** The last entry, behind which the next page begins; null if there is none. */
  next: string | null;
}

/**
 * Returns a page of the keys of a revision in the order of their UTF-8 bytes. What a common prefix stands for is skipped
 * at once, so a page takes as long for a library of a million files as for a small one.
 */
export async function listKeys(
  { files }: Pick<RevisionIndex, 'files'>,
  { prefix, delimiter, after, limit }: KeyQuery,
): Promise<KeyPage> {
  const { paths } = files;
  const placeBehind = (key: string) => {
    const { first, exact } = paths.startingWith(key);
    return exact ? first + 1 : first;
  };
  /** Files that are not at their own place among the paths. */
  let others = rootFiles(files)
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ file, place: placeBehind(file.path) }))
    .filter(({ file }) => after === '' || Buffer.compare(Buffer.from(file.path), Buffer.from(after)) > 0)
    .sort((one, other) => one.place - other.place);
  const { first, end } = paths.startingWith(prefix);
  const entries: KeyEntry[] = [];
  let place = after === '' ? first : Math.max(first, placeBehind(after));
  for (let last: string | null = null; limit > 0; ) {
    if (turnIsOver()) await nextTurn();
    const [other] = others;
    const isOther = other !== undefined && (other.place <= place || place >= end);
    if (!isOther && place >= end) break;
    const key = isOther ? other.file.path : paths.at(place);
    if (!isOther && files.isPlatform(place)) {
      place = key.startsWith(RESERVED_FOLDER) ? paths.startingWith(RESERVED_FOLDER).end : place + 1;
      continue;
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const commonPrefix = cut < 0 ? null : key.slice(0, cut + delimiter.length);
    if (commonPrefix === null || !after.startsWith(commonPrefix)) {
      if (entries.length === limit) return { entries, next: last };
      last = commonPrefix ?? key;
      entries.push(
        commonPrefix === null ? { key, file: isOther ? other.file : files.at(place) } : { commonPrefix },
      );
    }
    if (commonPrefix === null) {
      if (isOther) others = others.slice(1);
      else place++;
    } else {
      others = others.filter(({ file }) => !file.path.startsWith(commonPrefix));
      place = Math.max(place, paths.startingWith(commonPrefix).end);
    }
  }
  return { entries, next: null };
}
