import { folderOf } from '@bindery/formats';
import { unportablePaths } from '../tree/portable-names.ts';
import { describeRule, isStated, type SkippedPath } from '../tree/skipped-paths.ts';
import type { DiscoveredLibrary } from './discovered-library.ts';

/** Returns the problems of a folder that concern its names and what is left out of it, one sentence each. */
export function folderWarnings(
  found: Pick<DiscoveredLibrary, 'assets' | 'findings'>,
  leftOut: readonly SkippedPath[],
): string[] {
  const paths = new Set(found.assets.flatMap(({ files }) => files.map(({ path }) => path)));
  return [...leftOutReferences(found, leftOut), ...nameWarnings([...paths])];
}

const MAX_NAMED = 3;

function nameWarnings(paths: readonly string[]): string[] {
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
