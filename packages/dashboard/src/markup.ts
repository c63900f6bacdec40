/** What of HTML within a text shows: its text, its images and where a line ends. */
export type MarkupPart =
  | { type: 'text'; text: string }
  | { type: 'image'; href: string; text: string }
  | { type: 'break' };

const SILENT = /<!--[\s\S]*?(?:-->|$)|<(script|style|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
/** Nothing in it reaches beyond the next `<`, so that hostile text takes no longer than other text. */
const TAG = /<(\/?[a-z][\w-]*)(?![\w-])((?:"[^"<]*"|'[^'<]*'|[^<>"'])*)>/gi;
const ATTRIBUTE = /([\w-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/g;
/** Longer lists of attributes are cut. */
const MAX_ATTRIBUTES = 4_000;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  times: '×',
  micro: 'µ',
  plusmn: '±',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  rarr: '→',
  larr: '←',
};

/** Reads HTML as people write it into READMEs, for pages to make elements of: nothing of it becomes markup by itself. */
export function markupParts(html: string): MarkupPart[] {
  const parts: MarkupPart[] = [];
  const text = html.replace(SILENT, '');
  const say = (words: string) => {
    if (words.trim() !== '') parts.push({ type: 'text', text: decoded(words) });
  };
  let end = 0;
  for (const { 0: whole, 1: name = '', 2: rest = '', index } of text.matchAll(TAG)) {
    say(text.slice(end, index));
    end = index + whole.length;
    if (/^img$/i.test(name)) {
      const { src, alt } = attributesOf(rest.slice(0, MAX_ATTRIBUTES));
      if (src !== undefined) parts.push({ type: 'image', href: src, text: alt ?? '' });
    } else if (/^(br|\/(p|div|h[1-6]|li|tr))$/i.test(name)) parts.push({ type: 'break' });
  }
  say(text.slice(end));
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== 'break') + 1);
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', double, single, bare]) =>
      [name.toLowerCase(), decoded(double ?? single ?? bare ?? '')] as const,
  );
  return Object.fromEntries(found);
}

/** With the characters that HTML's names of characters stand for, as far as texts use them. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
  });
}
