import { MANIFEST_PATH } from '../names.ts';
import { describeReceived } from '../received.ts';
import { compareUtf8, sortedByUtf8 } from '../utf8.ts';
import { Issues, type ManifestError } from './issues.ts';
import type { Manifest, ManifestFile } from './schema.ts';

/** An entry of some asset's `files`, with the place where it stands. */
interface PlacedFile {
  file: ManifestFile;
  asset: number;
  index: number;
}

/**
 * One path has one hash and size across the library, stands once in an asset, and is not both a file and a folder.
 * Answers the distinct files as well, sorted by the UTF-8 bytes of their paths.
 */
export function checkConflicts(manifest: Manifest): { files: ManifestFile[]; error: ManifestError | null } {
  const issues = new Issues();
  const distinct = distinctFiles(manifest, issues);
  addFilesInFiles(distinct, issues);
  addArtifactsInFiles(manifest.generated ?? [], issues);
  return { files: distinct.map(({ file }) => file), error: issues.asError('manifest_file_conflict') };
}

function distinctFiles({ assets }: Manifest, issues: Issues): PlacedFile[] {
  const all: PlacedFile[] = [];
  for (const [asset, { files }] of assets.entries()) {
    for (const [index, file] of files.entries()) all.push({ file, asset, index });
  }
  all.sort((a, b) => compareUtf8(a.file.path, b.file.path));
  return all.filter((placed, at) => {
    const before = all[at - 1];
    if (before?.file.path !== placed.file.path) return true;
    addIfDifferent(before, placed, issues);
    return false;
  });
}

/** The sort is stable: entries of one path stand in the order of the document, those of one asset side by side. */
function addIfDifferent(before: PlacedFile, { file, asset, index }: PlacedFile, issues: Issues): void {
  const at = ['assets', asset, 'files', index];
  const path = describeReceived(file.path);
  const earlier = `/assets/${before.asset}/files/${before.index}`;
  if (before.asset === asset) issues.add(at, `${path} stands in this asset already, at ${earlier}`);
  else if (before.file.sha256 !== file.sha256) issues.add(at, `${path} has another sha256 at ${earlier}`);
  else if (before.file.size !== file.size) issues.add(at, `${path} has another size at ${earlier}`);
}

function addFilesInFiles(distinct: readonly PlacedFile[], issues: Issues): void {
  const inside = filesInFiles(distinct, ({ file }) => file.path);
  for (const [{ file, asset, index }, folder] of inside) {
    const { path } = folder.file;
    issues.add(['assets', asset, 'files', index], problem(file.path, path));
    if (issues.full) return;
  }
}

function addArtifactsInFiles(generated: readonly string[], issues: Issues): void {
  const paths = sortedByUtf8(new Set(generated).add(MANIFEST_PATH));
  for (const [path, folder] of filesInFiles(paths, (each) => each)) {
    issues.add(['generated', generated.indexOf(path)], problem(path, folder));
    if (issues.full) return;
  }
}

function problem(path: string, folder: string): string {
  return `${describeReceived(path)} cannot lie in ${describeReceived(folder)}, which is a file itself`;
}

/**
 * Those of sorted, distinct files whose path goes on with "/" after the path of another, with that other. What
 * starts with a path stands behind it without a gap, so the open prefixes of the present path form a stack.
 */
function* filesInFiles<T>(sorted: readonly T[], pathOf: (file: T) => string): Generator<[T, T]> {
  const prefixes: T[] = [];
  for (const file of sorted) {
    const path = pathOf(file);
    while (prefixes.length > 0 && !path.startsWith(pathOf(prefixes.at(-1) as T))) prefixes.pop();
    const folder = prefixes.find((prefix) => path[pathOf(prefix).length] === '/');
    if (folder !== undefined) yield [file, folder];
    prefixes.push(file);
  }
}
