import { CURATION_FILE, compareUtf8, LIMITS, README_FILE } from '@bindery/contract/wire';
import { commonFolder, folderOf, UnreadableFileError } from '@bindery/formats';
import {
  type CuratedAsset,
  type Curation,
  type ParsedCuration,
  parseCuration,
} from '../curation/curation.ts';
import { sentenceWithPaths } from '../failures.ts';
import { refuseUnusablePaths } from '../tree/names.ts';
import { type FolderRules, NO_RULES, PublishRules } from '../tree/publish-rules.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import { type AssetSource, describeAsset } from './describe.ts';
import type { DiscoveredLibrary } from './discovered-library.ts';
import { type Examination, examineFiles } from './examine.ts';
import { BoundedFileReader, type ListedFile, MAX_READ_SECONDS, type ReadPart } from './file-reader.ts';
import { FilesByPath, groupFiles, matcher, matcherWithFolders } from './globs.ts';
import { Closures, LibraryFiles } from './graph/closure.ts';
import { copiedTitles } from './metadata/derive.ts';
import { type NamedUnit, nameUnits } from './units/names.ts';
import { type FoundUnits, findUnits, type Unit, unitOfFiles } from './units/units.ts';
import {
  type DescribedUnit,
  findingsOf,
  leftOutReferences,
  nameWarnings,
  unexaminedWarning,
  unreadableFilesOf,
  warningsOf,
} from './warnings.ts';

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
    read,
    examine: (published) => examineFiles(published, read),
  });
  return {
    ...found,
    leftOut: [...leftOut, ...found.leftOut],
    warnings: [...found.warnings, ...leftOutReferences(found, leftOut)],
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

/** The files of a library, and how to examine them. */
export interface FilesToDiscover<F extends ListedFile> {
  /** Sorted by path, without files that are never published. */
  files: readonly F[];
  /** The bytes of `bindery.yml`. */
  curation: Uint8Array | null;
  read: ReadPart;
  examine(files: readonly F[]): Examination;
}

/**
 * Finds the assets of a library by the content of its files and by its `bindery.yml`. Files that this excludes are not
 * examined. Throws `CurationError`.
 */
export function discoverAssets<F extends ListedFile>(source: FilesToDiscover<F>): DiscoveredLibrary<F> {
  const { curation } = source;
  const parsed = curation === null ? EMPTY_CURATION : parseCuration(new TextDecoder().decode(curation));
  const comparing = globsOf(parsed, source);
  const files = comparing(() => publishedFiles(source.files, parsed.curation));
  const claims = comparing(() => claimFiles(files, parsed));
  const { facts, unexamined } = source.examine(files);
  const library = new LibraryFiles(files, facts, source.read);
  const found = findAssets(library, claims, parsed.curation, comparing);
  const described = describeAll(found, claims, parsed, files);
  const readme = files.find(({ path }) => path === README_FILE);
  const travels = readme !== undefined && readme.size <= LIMITS.readmeBytes;
  const assets = described.map(({ asset }) => asset);
  return {
    library: parsed.curation.library,
    assets,
    origins: new Map(described.map(({ asset, from }) => [asset.id, from])),
    curation,
    readme: travels ? readme : null,
    findings: new Map(
      described.map(({ asset, unit }) => [asset.id, findingsOf(asset, unit, found.closures)]),
    ),
    unread: new Map(
      described.map(({ asset }) => [asset.id, unreadableFilesOf(asset, library, new Set(unexamined))]),
    ),
    fragments: new Set(
      files.flatMap(({ path }) => (library.factsOf(path)?.isComplete === false ? [path] : [])),
    ),
    acceptedCodes: parsed.curation.check?.accept ?? [],
    warnings: [
      ...unexaminedWarning(unexamined),
      ...warningsOf(library, found.closures, described),
      ...nameWarnings(assets),
    ],
    leftOut: found.unused
      .filter((path) => !travels || path !== README_FILE)
      .map((path): SkippedPath => ({ path, reason: path === README_FILE ? 'too long' : 'in no asset' })),
  };
}

const EMPTY_CURATION: ParsedCuration = parseCuration('');

type Comparing = <Result>(compare: () => Result) => Result;

/** Globs are compared with paths in the time that reading a file may take, as both can be many. */
function globsOf({ errorAt }: ParsedCuration, { files, read }: FilesToDiscover<ListedFile>): Comparing {
  const file = new BoundedFileReader({ path: CURATION_FILE, size: 0 }, read);
  return (compare) => {
    try {
      return file.during(compare);
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const task = `comparing its globs with the ${files.length} paths of the folder`;
      throw errorAt([], `${task} takes longer than ${MAX_READ_SECONDS} s; name paths instead`);
    }
  };
}

function publishedFiles<F extends ListedFile>(files: readonly F[], { discover }: Curation): F[] {
  const excluded = matcherWithFolders(discover?.exclude ?? []);
  return files.filter(({ path }) => path !== CURATION_FILE && !excluded(path));
}

/** Returns the files of each asset that lists its own, by id. */
function claimFiles<F extends ListedFile>(
  files: readonly F[],
  { curation, errorAt }: ParsedCuration,
): Map<string, F[]> {
  const byPath = new FilesByPath(files);
  const claims = new Map<string, F[]>();
  for (const [id, asset] of Object.entries(curation.assets ?? {})) {
    if (asset.files === undefined) continue;
    const claimed = new Set<F>();
    for (const [at, glob] of asset.files.entries()) {
      const matching = byPath.matching(glob);
      if (matching.length === 0) throw errorAt(['assets', id, 'files', at], `${glob} matches no file`);
      for (const file of matching) claimed.add(file);
    }
    claims.set(
      id,
      [...claimed].sort((a, b) => compareUtf8(a.path, b.path)),
    );
  }
  return claims;
}

interface FoundAssets extends FoundUnits {
  library: LibraryFiles;
  closures: Closures;
}

/** Finds assets by the globs of `bindery.yml` if it has any, else by what the files are. */
function findAssets(
  library: LibraryFiles,
  claims: ReadonlyMap<string, ListedFile[]>,
  { discover }: Curation,
  comparing: Comparing,
): FoundAssets {
  const closures = new Closures(library);
  const claimed = new Set([...claims.values()].flatMap((files) => files.map(({ path }) => path)));
  if (discover?.assets === undefined) return { ...findUnits(library, closures, claimed), library, closures };
  const left = library.files.filter(({ path }) => !claimed.has(path));
  const groups = comparing(() => groupFiles(left, matcher(discover.assets ?? [])));
  const units = groups.map(({ root, files }) => withReached(unitOfFiles(library, root, files), closures));
  return { units, unused: [], library, closures };
}

/** Adds the files elsewhere that its models refer to. */
function withReached(unit: Unit, closures: Closures): Unit {
  const files = new Set(unit.files);
  for (const { path } of unit.models) for (const file of closures.of(path).files) files.add(file);
  return { ...unit, files: [...files].sort(compareUtf8) };
}

function describeAll<F extends ListedFile>(
  { units, library, closures }: FoundAssets,
  claims: ReadonlyMap<string, F[]>,
  parsed: ParsedCuration,
  files: readonly F[],
): DescribedUnit<F>[] {
  const { curation, errorAt } = parsed;
  const found = nameUnits(units, curation.discover?.assets !== undefined, library);
  refuseIdConflicts(found, claims, parsed);
  for (const id of Object.keys(curation.assets ?? {})) {
    if (!found.has(id) && !claims.has(id)) {
      throw errorAt(
        ['assets', id],
        `no folder or file yields an asset "${id}"; correct the id, add "files", or remove the entry`,
      );
    }
  }

  const byPath = new Map(files.map((file) => [file.path, file]));
  const filesOf = (unit: Unit) => unit.files.flatMap((path) => byPath.get(path) ?? []);
  const sources: AssetSource<F>[] = [];
  for (const [id, claimed] of claims) {
    const paths = claimed.map(({ path }) => path);
    sources.push({ id, files: claimed, unit: unitOfFiles(library, commonFolder(paths), paths) });
  }
  for (const [id, { unit, name }] of found) sources.push({ id, name, unit, files: filesOf(unit) });
  const copied = copiedTitles(
    sources.map(({ unit }) => unit),
    library,
  );
  return sources
    .sort((a, b) => compareUtf8(a.id, b.id))
    .map((source) => ({
      unit: source.unit,
      ...describeAsset(
        source,
        curatedAsset(curation, source.id),
        curation.defaults,
        { library, closures, copied },
        (key, message) => errorAt(['assets', source.id, ...key], message),
      ),
    }));
}

function curatedAsset(curation: Curation, id: string): CuratedAsset | undefined {
  return curation.assets !== undefined && Object.hasOwn(curation.assets, id)
    ? curation.assets[id]
    : undefined;
}

function refuseIdConflicts(
  found: ReadonlyMap<string, NamedUnit>,
  claims: ReadonlyMap<string, ListedFile[]>,
  { errorAt }: ParsedCuration,
): void {
  for (const id of claims.keys()) {
    const unit = found.get(id)?.unit;
    if (unit === undefined) continue;
    throw errorAt(
      ['assets', id, 'files'],
      sentenceWithPaths(`leaves files in ${unit.root}, which would be a second asset "${id}":`, [
        ...unit.files,
      ]),
    );
  }
}
