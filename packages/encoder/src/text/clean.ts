import type { TextDescription } from '../description.ts';
import { unescapeReferences } from './character-references.ts';
import { fixText } from './fix-text.ts';

/** Characters that are read; a model takes a few dozen tokens at most. */
const LONGEST_TEXT = 16_384;

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** What Python's `str.split` splits at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are whitespace there
const WHITESPACE = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/**
 * Cleans a text for the tokenizer, as in open_clip `tokenizer.py`: `_clean_canonicalize` (no punctuation, lower case),
 * `_clean_lower` and `_clean_whitespace`, each after `basic_clean`: ftfy, then `html.unescape` twice.
 */
export function cleanText(text: string, clean: TextDescription['clean']): string {
  const plain = unescapeReferences(unescapeReferences(fixText(text.slice(0, LONGEST_TEXT))));
  switch (clean) {
    case 'canonicalize':
      return spaceOnce(plain.replaceAll('_', ' ').replace(ASCII_PUNCTUATION, '').toLowerCase());
    case 'lower':
      return spaceOnce(plain).toLowerCase();
    case 'whitespace':
      return spaceOnce(plain);
  }
}

function spaceOnce(text: string): string {
  return text.replace(WHITESPACE, ' ').replace(/^ | $/g, '');
}
