import { Parser } from 'htmlparser2';

/** What of HTML within a text shows: its text, its images and where a line ends. */
export type MarkupPart =
  | { type: 'text'; text: string }
  | { type: 'image'; href: string; text: string }
  | { type: 'break' };

/** Elements whose text is for machines. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title']);

/** Elements after which a line ends. */
const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'tr']);

/** Reads HTML as people write it into READMEs, for pages to make elements of: nothing of it becomes markup by itself. */
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

/** A text with the characters that HTML's references stand for. */
export function decoded(text: string): string {
  let read = '';
  const parser = new Parser({ ontext: (some) => (read += some) });
  parser.end(text.replaceAll('<', '&lt;'));
  return read;
}
