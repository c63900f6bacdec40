import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURATION_FILE, compareUtf8 } from '@bindery/contract';
import { type CuratedAsset, type Curation, type ParsedCuration, parseCuration } from '../curation/index.ts';
import { sentenceWithPaths, TreeError } from '../failures.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { type AssetSource, describeAsset } from './describe.ts';
import type { DiscoveredLibrary } from './discovered.ts';
import { examineFiles } from './examine-files.ts';
import { FilesByPath, matcher, matcherWithFolders } from './globs.ts';
import { Closures } from './graph/closure.ts';
import { LibraryFiles } from './graph/library-files.ts';
import { groupFiles } from './groups.ts';
import { commonFolder } from './paths.ts';
import { type NamedUnit, nameUnits } from './units/names.ts';
import { type FoundUnits, findUnits, type Unit, unitOfFiles } from './units/units.ts';
import { type Examined, findingsOf, unreadIn, warningsOf } from './warnings.ts';

/**
 * Finds the assets of a folder by its shape and its `bindery.yml`. Nothing is hashed, and only heads of files are read.
 * Throws `TreeError` and `CurationError`.
 */
export function discoverLibrary(folder: string): DiscoveredLibrary {
  const tree = scanTree(folder);
  const curation = readCuration(tree.root);
  const parsed = curation === null ? NOTHING_CURATED : parseCuration(curation.toString('utf8'));
  const files = publishedFiles(tree.files, parsed.curation);
  const claims = claimFiles(files, parsed);
  const library = new LibraryFiles(files, examineFiles(tree.root, files));
  const found = findAssets(library, claims, parsed.curation);
  const examined = describeAll(found, claims, parsed, files);
  return {
    root: tree.root,
    library: parsed.curation.library,
    assets: examined.map(({ asset }) => asset),
    origins: new Map(examined.map(({ asset, from }) => [asset.id, from])),
    curation,
    findings: new Map(examined.map(({ asset, unit }) => [asset.id, findingsOf(asset, unit, found.closures)])),
    unread: new Map(examined.map(({ asset }) => [asset.id, unreadIn(asset, library)])),
    fragments: new Set(
      files.flatMap(({ path }) => (library.factsOf(path)?.isComplete === false ? [path] : [])),
    ),
    acceptedCodes: parsed.curation.check?.accept ?? [],
    warnings: warningsOf(library, found.closures, examined),
    leftOut: [...tree.leftOut, ...found.unused.map((path): LeftOut => ({ path, reason: 'in no asset' }))],
  };
}

const NOTHING_CURATED: ParsedCuration = parseCuration('');

function readCuration(root: string): Buffer | null {
  const file = join(root, CURATION_FILE);
  return existsSync(file) ? readFileSync(file) : null;
}

function publishedFiles(files: readonly ScannedFile[], { discover }: Curation): ScannedFile[] {
  const excluded = matcherWithFolders(discover?.exclude ?? []);
  return files.filter(({ path }) => path !== CURATION_FILE && !excluded(path));
}

/** The files of each asset that names its own, by id. */
function claimFiles(
  files: readonly ScannedFile[],
  { curation, errorAt }: ParsedCuration,
): Map<string, ScannedFile[]> {
  const byPath = new FilesByPath(files);
  const claims = new Map<string, ScannedFile[]>();
  for (const [id, asset] of Object.entries(curation.assets ?? {})) {
    if (asset.files === undefined) continue;
    const claimed = new Set<ScannedFile>();
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

/** Assets by the globs of `bindery.yml` where it has some, else by what the files are. */
function findAssets(
  library: LibraryFiles,
  claims: ReadonlyMap<string, ScannedFile[]>,
  { discover }: Curation,
): FoundAssets {
  const closures = new Closures(library);
  const claimed = new Set([...claims.values()].flatMap((files) => files.map(({ path }) => path)));
  if (discover?.assets === undefined) return { ...findUnits(library, closures, claimed), library, closures };
  const left = library.files.filter(({ path }) => !claimed.has(path));
  const units = groupFiles(left, matcher(discover.assets)).map(({ root, files }) =>
    withReached(unitOfFiles(library, root, files), closures),
  );
  return { units, unused: [], library, closures };
}

/** With what its models refer to elsewhere. */
function withReached(unit: Unit, closures: Closures): Unit {
  const files = new Set(unit.files);
  for (const { path } of unit.models) for (const file of closures.of(path).files) files.add(file);
  return { ...unit, files: [...files].sort(compareUtf8) };
}

function describeAll(
  { units, library, closures }: FoundAssets,
  claims: ReadonlyMap<string, ScannedFile[]>,
  parsed: ParsedCuration,
  files: readonly ScannedFile[],
): Examined[] {
  const { curation, errorAt } = parsed;
  const found = nameUnits(units, curation.discover?.assets !== undefined);
  refuseMeetings(found, claims, parsed);
  for (const id of Object.keys(curation.assets ?? {})) {
    if (!found.has(id) && !claims.has(id)) {
      throw errorAt(
        ['assets', id],
        `no folder or file makes an asset "${id}"; mend the id, give it "files", or take the entry out`,
      );
    }
  }

  const byPath = new Map(files.map((file) => [file.path, file]));
  const filesOf = (unit: Unit) => unit.files.flatMap((path) => byPath.get(path) ?? []);
  const sources: AssetSource[] = [];
  for (const [id, claimed] of claims) {
    const paths = claimed.map(({ path }) => path);
    sources.push({ id, files: claimed, unit: unitOfFiles(library, commonFolder(paths), paths) });
  }
  for (const [id, { unit, name }] of found) sources.push({ id, name, unit, files: filesOf(unit) });
  return sources
    .sort((a, b) => compareUtf8(a.id, b.id))
    .map((source) => ({
      unit: source.unit,
      ...describeAsset(
        source,
        curatedAsset(curation, source.id),
        curation.defaults,
        { library, closures },
        (key, message) => errorAt(['assets', source.id, ...key], message),
      ),
    }));
}

function curatedAsset(curation: Curation, id: string): CuratedAsset | undefined {
  return curation.assets !== undefined && Object.hasOwn(curation.assets, id)
    ? curation.assets[id]
    : undefined;
}

function refuseMeetings(
  found: ReadonlyMap<string, NamedUnit>,
  claims: ReadonlyMap<string, ScannedFile[]>,
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

/** Throws where nothing would be published, which more likely means a wrong folder. */
export function refuseEmptyLibrary({ root, assets }: DiscoveredLibrary): void {
  if (assets.length === 0)
    throw new TreeError(`${root} holds no asset: it needs a folder or a file that is not hidden`);
}
