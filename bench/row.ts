/** One line of the table: what was measured, beside what people would use instead. */
export interface Row {
  work: string;
  bindery: string;
  /** The peer and its figure; empty where there is none. */
  peer: string;
  /** How Bindery stands to the peer; empty where there is none. */
  ratio: string;
  target: string;
  /** Null where it could not be judged, because the peer is not installed. */
  met: boolean | null;
}

const HEADINGS = ['Work', 'Bindery', 'Beside', 'Ratio', 'Target', ''];

/** The rows as a Markdown table, aligned so that it reads well in a terminal. */
export function table(rows: Row[]): string {
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
