import { stripVTControlCharacters } from 'node:util';

export interface Table {
  headings: string[];
  rows: string[][];
  /** Columns of numbers, by index. */
  right?: number[];
  /** Lines are never cut, since what stands last must be read whole. */
  whole?: boolean;
  /** Lines above each row on a terminal, by its place; they are never cut. */
  above?: readonly (readonly string[])[];
  /** Lines below each row, by its place. */
  below?: readonly (readonly string[])[];
}

/** Between the columns of every listing. */
export const GAP = '  ';

/**
 * The lines of a table: aligned below headings and cut to `width` columns; rows alone where `width` is null. Columns are
 * two spaces apart, and a dash stands for what is not there, so that they can be counted.
 */
export function renderTable(table: Table, width: number | null): string[] {
  const rows = table.rows.map((row) => row.map((cell) => cell || '-'));
  const withBelow = (line: string, row: number) => [line, ...(table.below?.[row] ?? [])];
  if (width === null) return rows.flatMap((row, at) => withBelow(row.join(GAP), at));
  if (rows.length === 0) return [];
  const lines = [table.headings.map((heading) => heading.toUpperCase()), ...rows];
  const widths = table.headings.map((_, column) =>
    Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))),
  );
  return lines.flatMap((line, at) => {
    const cells = line.map((cell, column) => {
      const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell)));
      if (table.right?.includes(column)) return space + cell;
      return column === line.length - 1 ? cell : cell + space;
    });
    const text = cells.join(GAP);
    const below = withBelow(table.whole ? text : cut(text, width), at - 1);
    return [...(table.above?.[at - 1] ?? []), ...below];
  });
}

/** Columns that a text takes; East Asian wide characters and emoji take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(stripVTControlCharacters(text))) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u;

/** A line of at most `width` columns; three dots stand for what is missing. */
export function cut(line: string, width: number): string {
  if (displayWidth(line) <= width || line.includes('\u001b')) return line;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
