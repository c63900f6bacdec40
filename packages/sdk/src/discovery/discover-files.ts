import { CURATION_FILE, compareUtf8 } from '@bindery/contract/wire';
import { type SkippedPath, skipReasonOf } from '../tree/skipped-paths.ts';
import { refuseUnusablePaths } from '../tree/unusable-paths.ts';
import { discoverAssets } from './discover.ts';
import type { DiscoveredLibrary } from './discovered-library.ts';
import { examineFiles } from './examine-files.ts';
import type { ListedFile, ReadPart } from './file-reader.ts';

/**
 * Finds the assets in a list of files by their layout, content and `bindery.yml`. Reads only as much of each file as
 * this takes. Hidden and system files are left out. In a browser it should run in a web worker, where `read` can be
 * `new FileReaderSync().readAsArrayBuffer(file.slice(start, start + length))`. Throws `TreeError` for paths that no
 * library can have, and `CurationError`.
 */
export function discoverFiles<F extends ListedFile>(
  listed: readonly F[],
  read: ReadPart,
): DiscoveredLibrary<F> {
  const leftOut: SkippedPath[] = [];
  const files: F[] = [];
  for (const file of listed) {
    const left = findSkippedAncestor(file.path);
    if (left === null) files.push(file);
    else leftOut.push(left);
  }
  refuseUnusablePaths(files);
  files.sort((a, b) => compareUtf8(a.path, b.path));
  const curation = files.find(({ path }) => path === CURATION_FILE);
  const found = discoverAssets({
    files,
    curation: curation === undefined ? null : read(curation.path, 0, curation.size),
    examine: (published) => examineFiles(published, read),
  });
  return { ...found, leftOut: [...unique(leftOut), ...found.leftOut] };
}

/** Returns the first folder or file on a path that is never published. */
function findSkippedAncestor(path: string): SkippedPath | null {
  for (let from = 0; from <= path.length; ) {
    const slash = path.indexOf('/', from);
    const end = slash < 0 ? path.length : slash;
    const reason = skipReasonOf(path.slice(from, end));
    if (reason !== null) return { path: path.slice(0, end), reason };
    from = end + 1;
  }
  return null;
}

function unique(leftOut: readonly SkippedPath[]): SkippedPath[] {
  return [...new Map(leftOut.map((left) => [left.path, left])).values()];
}
