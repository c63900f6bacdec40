import { type FormatName, folderOf, formatOf } from '@bindery/formats';
import { unportablePaths } from '../tree/names.ts';
import { describeRule, isStated, type SkippedPath } from '../tree/skipped-paths.ts';
import { type DiscoveredAsset, type DiscoveredLibrary, namesMissingFile } from './discovered-library.ts';
import type { ListedFile } from './file-reader.ts';
import type { Closures, Finding, LibraryFiles } from './graph/closure.ts';
import type { Origins } from './metadata/derive.ts';
import { isLicenseFile } from './metadata/documents.ts';
import type { Unit } from './units/units.ts';

/** A folder with more models than this is probably a collection. */
const MAX_MODELS = 32;
const MAX_NAMED = 3;
/** Formats that no viewer opens. */
const UNSEEN: readonly FormatName[] = ['blend', 'step'];

/** An asset with the unit it was made of and the origins of its values. */
export interface DescribedUnit<F extends ListedFile = ListedFile> {
  asset: DiscoveredAsset<F>;
  from: Origins;
  unit: Unit;
}

/** Returns the problems of a folder, one sentence each, with the names of files. */
export function warningsOf(
  library: LibraryFiles,
  closures: Closures,
  examined: readonly DescribedUnit[],
): string[] {
  const unread = library.files.filter(({ path }) => library.factsOf(path)?.warning !== undefined);
  const byWarning = Map.groupBy(unread, ({ path }) => library.factsOf(path)?.warning);
  const sentences = [...byWarning].map(
    ([warning, files]) => `${firstOf(files.map(({ path }) => path))}: ${warning}`,
  );
  return [
    ...sentences,
    ...unrecognisedLicenses(library, examined),
    ...examined.flatMap((one) => assetWarnings(one, closures)),
  ];
}

/** Returns a sentence for each licence text that is not a known one and leaves assets without a licence. */
function unrecognisedLicenses(library: LibraryFiles, examined: readonly DescribedUnit[]): string[] {
  const bare = new Map<string, string[]>();
  for (const { asset, unit } of examined) {
    if (asset.license !== undefined) continue;
    for (const path of unit.files) {
      if (isLicenseFile(path) && library.factsOf(path)?.metadata?.license === undefined)
        bare.set(path, [...(bare.get(path) ?? []), asset.id]);
    }
  }
  return [...bare].map(([path, [id, ...others]]) => {
    const assets = others.length === 0 ? `${id} has` : `${id} and ${others.length} more have`;
    return `${path} is not a licence that is known here, so ${assets} none unless bindery.yml states it`;
  });
}

function assetWarnings({ asset, unit }: DescribedUnit, closures: Closures): string[] {
  const { id, format = '', entry } = asset;
  const warnings: string[] = [];
  const missing = findingsOf(asset, unit, closures).filter(namesMissingFile);
  if (missing.length > 0)
    warnings.push(`${id} refers to files that are not in the folder: ${listFindings(missing)}`);
  const robots = unit.models.filter(({ family }) => family === 'robot');
  if (robots.length > MAX_MODELS) {
    warnings.push(
      `${id} has ${robots.length} models in one asset; "discover: {assets: [...]}" in bindery.yml can split them`,
    );
  }
  const known = formatOf(format);
  if (entry !== undefined && known && UNSEEN.includes(known.name))
    warnings.push(`${entry} cannot be previewed: add an STL or glTF version`);
  return warnings;
}

/** Returns the findings of the entry and the entry points. References of files that nothing opens do not matter. */
export function findingsOf(
  { entry, entryPoints }: DiscoveredAsset,
  unit: Unit,
  closures: Closures,
): Finding[] {
  const opened = new Set([entry, ...Object.values(entryPoints ?? {}).map(({ file }) => file)]);
  const findings = new Map<string, Finding>();
  for (const { path } of unit.models) {
    if (!opened.has(path)) continue;
    for (const finding of closures.of(path).findings)
      findings.set(`${finding.file} ${finding.text}`, finding);
  }
  return [...findings.values()];
}

function listFindings(findings: readonly Finding[]): string {
  const shown = findings
    .slice(0, MAX_NAMED)
    .map(({ file, line, text }) => `${text} (${line === undefined ? file : `${file}:${line}`})`);
  const more = findings.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function firstOf([first, ...others]: readonly string[]): string {
  return `${first}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

const UNEXAMINED = 'not examined, since the folder has too much to read';

/** Returns the files of an asset that could not be examined, and why. */
export function unreadableFilesOf(
  { files }: DiscoveredAsset,
  library: LibraryFiles,
  unexamined: ReadonlySet<string>,
): { file: string; message: string }[] {
  return files.flatMap(({ path }) => {
    const message = unexamined.has(path) ? UNEXAMINED : library.factsOf(path)?.warning;
    return message === undefined ? [] : [{ file: path, message }];
  });
}

/** Returns one sentence about all files that were not examined, if there are any. */
export function unexaminedWarning(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [
    `${firstOf(paths)}: ${UNEXAMINED}; split it into several libraries, or exclude what is not a model`,
  ];
}

/** Returns a sentence about the names of files that not every system can hold, if there are any. */
export function nameWarnings(assets: DiscoveredLibrary['assets']): string[] {
  const paths = [...new Set(assets.flatMap(({ files }) => files.map(({ path }) => path)))];
  const problems = unportablePaths(paths).map(({ problem }) => problem);
  if (problems.length === 0) return [];
  const more = problems.length > MAX_NAMED ? `, and ${problems.length - MAX_NAMED} more` : '';
  return [`not every system can hold these names: ${problems.slice(0, MAX_NAMED).join('; ')}${more}`];
}

/** Returns a sentence for each file that a model refers to and that is missing because a rule leaves it out. */
export function leftOutReferences(
  { findings }: Pick<DiscoveredLibrary, 'findings'>,
  leftOut: readonly SkippedPath[],
): string[] {
  const stated = leftOut.filter(({ reason }) => isStated(reason));
  if (stated.length === 0) return [];
  const sentences = [...findings.values()].flat().flatMap(({ file, text, kind }) => {
    const left = kind === 'missing' ? findReferenced(file, text, stated) : undefined;
    return left === undefined
      ? []
      : [`${file} refers to ${text}, which is not published: ${left.path} is ${describeRule(left)}`];
  });
  return [...new Set(sentences)];
}

/** Compares by the end of paths, since authors write references relative to folders that differ from format to format. */
function findReferenced(
  file: string,
  text: string,
  leftOut: readonly SkippedPath[],
): SkippedPath | undefined {
  const tail = text
    .replace(/^[a-z]+:\/\//i, '')
    .split(/[/\\]+/)
    .filter((step) => step !== '.' && step !== '..' && step !== '')
    .join('/');
  const place = `${folderOf(file)}${tail}`;
  return leftOut.find(({ path }) => {
    if (isSameEnd(path, tail)) return true;
    const isInFolder = place.startsWith(`${path}/`) || `/${tail}`.includes(`/${path}/`);
    // A bare name is looked for in a folder that the model names elsewhere.
    return isInFolder || (!tail.includes('/') && !path.includes('.') && path.startsWith(folderOf(file)));
  });
}

function isSameEnd(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}
