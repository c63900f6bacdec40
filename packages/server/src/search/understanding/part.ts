import type { UnderstoodPart } from '@bindery/contract';

/** A part of a query that means a filter. */
export interface Part extends UnderstoodPart {
  /** Where it begins in the query. */
  start: number;
}

/**
 * Finds what means a filter in a text. What was found already, quotes and exclusions are blank, so that places stay as
 * they are in the query.
 */
export type Reader = (text: string) => Part[];

/** Returns a part for each match of a pattern that `read` makes something of; spaces around it are left out. */
export function readEach(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => Pick<Part, 'filter' | 'values'> | null,
): Part[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const found = read(match);
    const written = match[0].trim();
    return found === null ? [] : { ...found, text: written, start: match.index + match[0].indexOf(written) };
  });
}
