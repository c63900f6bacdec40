import { describeReceived } from '../describe-received.ts';
import { MANIFEST_PATH } from '../names.ts';
import { compareUtf8, sortedByUtf8 } from '../utf8.ts';
import { Issues, type ManifestError } from './issues.ts';
import type { Manifest, ManifestFile } from './schema.ts';

/** The distinct files of a manifest, sorted by the UTF-8 bytes of their paths. */
export interface DistinctFiles {
  files: ManifestFile[];
  /** For every entry of every asset, in the order of the document, the index of its file in `files`. */
  places: Uint32Array;
}

/** Checks that a path has one hash and size, appears once per asset, and is not both a file and a folder. */
export function checkConflicts(manifest: Manifest): DistinctFiles & { error: ManifestError | null } {
  const issues = new Issues();
  const entries = new Entries(manifest);
  const distinct = distinctFiles(entries, issues);
  addFilesInFiles(entries, distinct, issues);
  addArtifactsInFiles(manifest.generated ?? [], issues);
  return { ...distinct, error: issues.asError('manifest_file_conflict') };
}

/** The entries of all assets as one list; an entry is identified by its index. */
class Entries {
  readonly files: ManifestFile[] = [];
  readonly #starts: number[] = [];

  constructor({ assets }: Manifest) {
    for (const { files } of assets) {
      this.#starts.push(this.files.length);
      for (const file of files) this.files.push(file);
    }
  }

  /** Returns the asset of an entry, and the entry's index there. */
  whereIs(entry: number): { asset: number; index: number } {
    let asset = 0;
    let end = this.#starts.length;
    while (end - asset > 1) {
      const middle = (asset + end) >>> 1;
      if ((this.#starts[middle] as number) <= entry) asset = middle;
      else end = middle;
    }
    return { asset, index: entry - (this.#starts[asset] as number) };
  }
}

function distinctFiles(entries: Entries, issues: Issues): DistinctFiles {
  const { files: all } = entries;
  const sorted = Array.from(all.keys()).sort((a, b) => compareUtf8(pathOf(all, a), pathOf(all, b)));
  const files: ManifestFile[] = [];
  const places = new Uint32Array(all.length);
  let before = -1;
  for (const entry of sorted) {
    const file = all[entry] as ManifestFile;
    if (files.at(-1)?.path === file.path) addIfDifferent(entries, before, entry, issues);
    else files.push(file);
    places[entry] = files.length - 1;
    before = entry;
  }
  return { files, places };
}

/** The sort is stable: entries of one path are in document order, with those of one asset side by side. */
function addIfDifferent(entries: Entries, before: number, entry: number, issues: Issues): void {
  const file = entries.files[entry] as ManifestFile;
  const other = entries.files[before] as ManifestFile;
  const { asset, index } = entries.whereIs(entry);
  const earlier = entries.whereIs(before);
  const at = ['assets', asset, 'files', index];
  const path = describeReceived(file.path);
  const place = `/assets/${earlier.asset}/files/${earlier.index}`;
  if (earlier.asset === asset) issues.add(at, `${path} is already listed in this asset, at ${place}`);
  else if (other.sha256 !== file.sha256) issues.add(at, `${path} has another sha256 at ${place}`);
  else if (other.size !== file.size) issues.add(at, `${path} has another size at ${place}`);
}

function addFilesInFiles(entries: Entries, { files, places }: DistinctFiles, issues: Issues): void {
  for (const [inside, folder] of findPathsBelowFiles(files.map(({ path }) => path))) {
    const { asset, index } = entries.whereIs(places.indexOf(inside));
    const at = ['assets', asset, 'files', index];
    issues.add(at, problem(files[inside]?.path ?? '', files[folder]?.path ?? ''));
    if (issues.full) return;
  }
}

function addArtifactsInFiles(generated: readonly string[], issues: Issues): void {
  const paths = sortedByUtf8(new Set(generated).add(MANIFEST_PATH));
  for (const [inside, folder] of findPathsBelowFiles(paths)) {
    const path = paths[inside] ?? '';
    issues.add(['generated', generated.indexOf(path)], problem(path, paths[folder] ?? ''));
    if (issues.full) return;
  }
}

function problem(path: string, folder: string): string {
  return `${describeReceived(path)} cannot be inside ${describeReceived(folder)}, which is itself a file`;
}

/**
 * Finds paths that continue another one with "/", among sorted, distinct paths; yields the indexes of both. Paths that
 * start with another follow it without a gap, so the open prefixes of the current path form a stack.
 */
export function* findPathsBelowFiles(paths: readonly string[]): Generator<[inside: number, folder: number]> {
  const prefixes: number[] = [];
  for (const [place, path] of paths.entries()) {
    while (prefixes.length > 0 && !path.startsWith(paths[prefixes.at(-1) as number] as string))
      prefixes.pop();
    const folder = prefixes.find((prefix) => path[(paths[prefix] as string).length] === '/');
    if (folder !== undefined) yield [place, folder];
    prefixes.push(place);
  }
}

function pathOf(files: readonly ManifestFile[], entry: number): string {
  return (files[entry] as ManifestFile).path;
}
