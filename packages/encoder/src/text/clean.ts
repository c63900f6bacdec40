import type { TextDescription } from '../description.ts';

/** Characters that are looked at: a model takes at most some dozens of tokens. */
const LONGEST_TEXT = 16_384;

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u206a-\u206f\ufeff\ufff9-\ufffc]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/**
 * A text as the tokenizer takes it: open_clip `tokenizer.py`, `_clean_canonicalize` (no punctuation, lower case),
 * `_clean_lower` and `_clean_whitespace`. Of ftfy, which these call first, this does what concerns text that was
 * decoded rightly (NFC, straight quotes, ligatures, fullwidth letters, control characters); it repairs no text that
 * was decoded wrongly. Of HTML entities it knows the numeric ones and those of XML.
 */
export function cleanText(text: string, clean: TextDescription['clean']): string {
  const plain = withoutEntities(withoutEntities(straighten(text.slice(0, LONGEST_TEXT).toWellFormed())));
  switch (clean) {
    case 'canonicalize':
      return spaceOnce(plain.replaceAll('_', ' ').replace(ASCII_PUNCTUATION, '').toLowerCase());
    case 'lower':
      return spaceOnce(plain).toLowerCase();
    case 'whitespace':
      return spaceOnce(plain);
  }
}

function straighten(text: string): string {
  return text
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\ufb00-\ufb06\uff01-\uff5e]/g, (character) => character.normalize('NFKC'))
    .replaceAll('\u3000', ' ')
    .replace(CONTROL, '')
    .normalize('NFC');
}

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });
}

function spaceOnce(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
