import { Parser } from 'htmlparser2';

/** The parts of HTML that are shown: text, images and line breaks. */
export type MarkupPart =
  | { type: 'text'; text: string }
  | { type: 'image'; href: string; text: string }
  | { type: 'break' };

/** Elements whose text is not shown. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title']);

/** Elements that are followed by a line break. */
const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'tr']);

/** Parses HTML as found in READMEs into parts that pages render themselves; none of it is inserted as markup. */
export function markupParts(html: string): MarkupPart[] {
  const parts: MarkupPart[] = [];
  let silent = 0;
  const parser = new Parser({
    onopentag(name, { src, alt = '' }) {
      if (SILENT.has(name)) silent++;
      else if (silent > 0) return;
      else if (name === 'br') parts.push({ type: 'break' });
      else if (name === 'img' && src !== undefined) parts.push({ type: 'image', href: src, text: alt });
    },
    ontext(text) {
      const last = parts.at(-1);
      if (silent > 0) return;
      if (last?.type === 'text') last.text += text;
      else parts.push({ type: 'text', text });
    },
    onclosetag(name) {
      if (SILENT.has(name)) silent--;
      else if (silent === 0 && BLOCKS.has(name)) parts.push({ type: 'break' });
    },
  });
  parser.end(html);
  const shown = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return shown.slice(0, shown.findLastIndex(({ type }) => type !== 'break') + 1);
}

/** Decodes the character references of HTML. */
export function decoded(text: string): string {
  let read = '';
  const parser = new Parser({ ontext: (some) => (read += some) });
  parser.end(text.replaceAll('<', '&lt;'));
  return read;
}
