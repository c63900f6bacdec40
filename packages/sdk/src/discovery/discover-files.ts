import { CURATION_FILE, compareUtf8 } from '@bindery/contract/wire';
import { folderOf } from '@bindery/formats';
import { type FolderRules, NO_RULES, PublishRules } from '../tree/publish-rules.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import { refuseUnusablePaths } from '../tree/unusable-paths.ts';
import { discoverAssets } from './discover.ts';
import type { DiscoveredLibrary } from './discovered-library.ts';
import { examineFiles } from './examine-files.ts';
import type { ListedFile, ReadPart } from './file-reader.ts';
import { folderWarnings } from './folder-warnings.ts';

/**
 * Finds the assets in a list of files by their layout, content and `bindery.yml`. Reads only as much of each file as
 * this takes. What `PublishRules` says is left out. In a browser it should run in a web worker, where `read` can be
 * `new FileReaderSync().readAsArrayBuffer(file.slice(start, start + length))`. Throws `TreeError` for paths that no
 * library can have, and `CurationError`.
 */
export function discoverFiles<F extends ListedFile>(
  listed: readonly F[],
  read: ReadPart,
): DiscoveredLibrary<F> {
  const { files, leftOut } = publishedOf(listed, read);
  refuseUnusablePaths(files);
  files.sort((a, b) => compareUtf8(a.path, b.path));
  const curation = files.find(({ path }) => path === CURATION_FILE);
  const found = discoverAssets({
    files,
    curation: curation === undefined ? null : read(curation.path, 0, curation.size),
    examine: (published) => examineFiles(published, read),
  });
  return {
    ...found,
    leftOut: [...leftOut, ...found.leftOut],
    warnings: [...found.warnings, ...folderWarnings(found, leftOut)],
  };
}

function publishedOf<F extends ListedFile>(
  listed: readonly F[],
  read: ReadPart,
): { files: F[]; leftOut: SkippedPath[] } {
  const publishing = new PublishRules({}, (path, length) => read(path, 0, length));
  const namesIn = Map.groupBy(listed, ({ path }) => folderOf(path));
  const leftOut = new Map<string, SkippedPath>();
  const known = new Map<string, FolderRules | null>();
  /** Returns what applies in a folder (empty, or ending in a slash); null if it is left out. */
  const rulesIn = (folder: string): FolderRules | null => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    let rules: FolderRules | null = NO_RULES;
    if (folder !== '') {
      const path = folder.slice(0, -1);
      const above = rulesIn(folderOf(path));
      const inside = above && publishing.skipFolder(above, path);
      if (inside?.skipped) leftOut.set(path, inside.skipped);
      rules = inside?.rules ?? null;
    }
    const names = (namesIn.get(folder) ?? []).map(({ path }) => path.slice(folder.length));
    const own = rules && publishing.enter(rules, folder, names);
    known.set(folder, own);
    return own;
  };
  const files = listed.filter(({ path }) => {
    const rules = rulesIn(folderOf(path));
    if (rules === null) return false;
    const skipped = publishing.skipFile(rules, path);
    if (skipped !== null && skipped !== 'folder') leftOut.set(path, skipped);
    return skipped === null;
  });
  return { files, leftOut: [...leftOut.values()] };
}
