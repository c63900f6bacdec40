import { applyPatch, structuredPatch } from 'diff';
import { CurationError } from '../failures.ts';
import { canonicalJson } from '../library/manifest.ts';
import { parseCuration, parseYaml, plainValue } from './curation.ts';

/** A value that two people changed to different ones; undefined where it is removed. */
export interface CurationConflict {
  /** Its keys, such as `['assets', 'arm', 'title']`. */
  path: readonly string[];
  mine: unknown;
  theirs: unknown;
}

export interface MergedCuration {
  text: string;
  /** What could not be merged; the text has what `preferred` says there. */
  conflicts: CurationConflict[];
}

/**
 * Merges two versions of a `bindery.yml` key by key with the text that both come from. Comments and formatting of both
 * stay where their lines can be merged, else those of `mine`. Null if one of them cannot be parsed, or the result is not
 * a valid `bindery.yml`.
 */
export function mergeCuration(
  base: string,
  mine: string,
  theirs: string,
  preferred: 'mine' | 'theirs',
): MergedCuration | null {
  try {
    const conflicts: CurationConflict[] = [];
    const changes: Change[] = [];
    const values = [base, mine, theirs].map((text) => plainValue(parseYaml(text)));
    compare([], values, (change) => {
      if (change.isConflict) conflicts.push(change);
      if (!change.isConflict || preferred === 'theirs') changes.push(change);
    });
    const text = withLines(base, mine, theirs, changes) ?? withChanges(mine, changes);
    parseCuration(text);
    return { text, conflicts };
  } catch (error) {
    if (error instanceof CurationError || error instanceof RangeError) return null;
    throw error;
  }
}

interface Change extends CurationConflict {
  isConflict: boolean;
}

/** Reports what `theirs` has changed, and whether `mine` has changed it too. Lists are compared as a whole. */
function compare(
  path: readonly string[],
  [base, mine, theirs]: readonly unknown[],
  report: (change: Change) => void,
): void {
  if (isSame(base, theirs) || isSame(mine, theirs)) return;
  if (isRecord(mine) && isRecord(theirs)) {
    const before = isRecord(base) ? base : {};
    for (const key of Object.keys({ ...before, ...theirs })) {
      compare([...path, key], [before[key], mine[key], theirs[key]], report);
    }
  } else report({ path, mine, theirs, isConflict: !isSame(base, mine) });
}

/** Returns `mine` with the lines that `theirs` changed, unless they do not fit or say something else than the changes. */
function withLines(base: string, mine: string, theirs: string, changes: readonly Change[]): string | null {
  const text = applyPatch(mine, structuredPatch('', '', base, theirs, undefined, undefined, { context: 1 }));
  if (text === false) return null;
  try {
    const wanted = plainValue(parseYaml(withChanges(mine, changes)));
    return isSame(plainValue(parseYaml(text)), wanted) ? text : null;
  } catch {
    return null;
  }
}

function withChanges(text: string, changes: readonly Change[]): string {
  if (changes.length === 0) return text;
  const document = parseYaml(text);
  for (const { path, theirs } of changes) {
    if (theirs === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(theirs));
  }
  return document.toString({ lineWidth: 0 });
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
