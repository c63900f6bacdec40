/** One row of the table: a measurement compared with an alternative. */
export interface BenchmarkRow {
  work: string;
  bindery: string;
  /** The peer and its value; empty if there is none. */
  peer: string;
  /** Bindery relative to the peer; empty if there is none. */
  ratio: string;
  target: string;
  /** Null if it could not be judged because the peer is not installed. */
  met: boolean | null;
}

const HEADINGS = ['Work', 'Bindery', 'Beside', 'Ratio', 'Target', ''];

/** Formats the rows as a Markdown table, aligned for reading in a terminal. */
export function table(rows: BenchmarkRow[]): string {
  const cells = rows.map(({ work, bindery, peer, ratio, target, met }) => [
    work,
    bindery,
    peer,
    ratio,
    target,
    met === null ? 'not judged' : met ? 'met' : 'MISSED',
  ]);
  const widths = HEADINGS.map((heading, at) =>
    Math.max(heading.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const line = (texts: string[]) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(HEADINGS), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}
