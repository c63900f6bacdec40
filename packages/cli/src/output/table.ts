import { stripVTControlCharacters } from 'node:util';

export interface Table {
  headings: string[];
  rows: string[][];
  /** Columns of numbers, by index. */
  rightAligned?: number[];
  /** Lines are never truncated, since the last column must be readable in full. */
  untruncated?: boolean;
  /** Lines below each row, by its index. */
  below?: readonly (readonly string[])[];
}

/** The space between the columns of every list. */
export const GAP = '  ';

/**
 * Returns the lines of a table: aligned below headings and truncated to `width` columns; only the rows if `width` is
 * null. Columns are two spaces apart, and a dash stands for an empty cell, so that columns can be counted.
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
      if (table.rightAligned?.includes(column)) return space + cell;
      return column === line.length - 1 ? cell : cell + space;
    });
    const text = cells.join(GAP);
    return withBelow(table.untruncated ? text : truncate(text, width), at - 1);
  });
}

/** Returns the terminal columns that a text takes; East Asian wide characters and emoji take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(stripVTControlCharacters(text))) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}/u;

/** Truncates a line to at most `width` columns; an ellipsis stands for the rest. */
export function truncate(line: string, width: number): string {
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
