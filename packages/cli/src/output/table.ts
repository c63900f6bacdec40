import { stripVTControlCharacters } from 'node:util';

export interface Table {
  headings: string[];
  rows: string[][];
  /** Columns of numbers, by index. */
  right?: number[];
}

const GAP = '  ';

/** The lines of a table: aligned and cut to `width` columns, or tab-separated where `width` is null. */
export function renderTable(table: Table, width: number | null): string[] {
  if (width === null) return table.rows.map((row) => row.join('\t'));
  if (table.rows.length === 0) return [];
  const lines = [table.headings.map((heading) => heading.toUpperCase()), ...table.rows];
  const widths = table.headings.map((_, column) =>
    Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))),
  );
  return lines.map((line) => {
    const cells = line.map((cell, column) => {
      const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell)));
      if (table.right?.includes(column)) return space + cell;
      return column === line.length - 1 ? cell : cell + space;
    });
    return cut(cells.join(GAP), width);
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
