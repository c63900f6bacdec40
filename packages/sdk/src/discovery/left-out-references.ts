import { folderOf } from '@bindery/formats';
import { describeRule, isStated, type SkippedPath } from '../tree/skipped-paths.ts';
import type { DiscoveredLibrary } from './discovered-library.ts';

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
