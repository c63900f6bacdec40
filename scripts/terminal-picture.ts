import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Renders a recorded terminal session, docs/images/first-session.txt, as docs/images/first-session.svg. Lines starting
 * with "$ " were typed. The SVG contains text, so that it is sharp at any size and can be searched and copied.
 */

const COLUMNS = 100;
const [CHARACTER, LINE, MARGIN, TITLE_BAR] = [8.4, 20, 20, 36];

const source = new URL('../docs/images/first-session.txt', import.meta.url);
const lines = readFileSync(source, 'utf8').trimEnd().split('\n').flatMap(wrap);
const width = COLUMNS * CHARACTER + 2 * MARGIN;
const height = TITLE_BAR + lines.length * LINE + MARGIN;

writeFileSync(
  new URL('../docs/images/first-session.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A first session in a terminal">
<rect width="${width}" height="${height}" rx="10" fill="#14171c"/>
<g fill="#3a404b"><circle cx="22" cy="18" r="6"/><circle cx="42" cy="18" r="6"/><circle cx="62" cy="18" r="6"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<style>text { white-space: pre }</style>
${lines.map(draw).join('\n')}
</g>
</svg>
`,
);

function draw(line: string, at: number): string {
  const typed = line.startsWith('$ ');
  const y = TITLE_BAR + at * LINE + 14;
  const prompt = typed ? '<tspan fill="#6ee7a8">$</tspan> ' : '';
  return `<text x="${MARGIN}" y="${y}" fill="${typed ? '#f4f6f8' : '#aab4c0'}">${prompt}${escapeXml(typed ? line.slice(2) : line)}</text>`;
}

/** Wraps between words, for readability. */
function wrap(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const end = line.lastIndexOf(' ', COLUMNS);
  const at = end > 0 ? end : COLUMNS;
  return [line.slice(0, at), ...wrap(line.slice(at).trimStart())];
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
