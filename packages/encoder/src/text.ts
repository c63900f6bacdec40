import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { decodeHTML, decodeHTMLStrict } from 'entities';
import type { TextDescription } from './description.ts';

interface TextTokenizer {
  /** Turns a text into the token ids that the model takes: with `pooling` as many as it has, else `length`. */
  tokenize(text: string): number[];
  /** Returns how many tokens the text itself has. */
  countPieces(text: string): number;
}

/** Reads a `tokenizer.json`. */
export async function loadTokenizer(file: string, description: TextDescription): Promise<TextTokenizer> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(file, 'utf8')), {});
  const idsOf = (text: string) => {
    const cleaned = cleanText(text, description.clean);
    return cleaned === '' ? [] : tokenizer.encode(cleaned, { add_special_tokens: false }).ids;
  };
  return {
    tokenize: (text) => padAndTruncate(idsOf(text), description),
    countPieces: (text) => idsOf(text).length,
  };
}

/** Start, text, end, padding. A text that is too long loses its last tokens, never the end token. */
function padAndTruncate(
  ids: readonly number[],
  { length, start, end, pad, pooling }: TextDescription,
): number[] {
  const before = start === null ? [] : [start];
  const after = end === null ? [] : [end];
  const kept = ids.slice(0, length - before.length - after.length);
  const framed = [...before, ...kept, ...after];
  return pooling ? framed : [...framed, ...new Array<number>(length - framed.length).fill(pad)];
}

/** Characters that are read; a model takes a few dozen tokens at most. */
const MAX_TEXT = 16_384;

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** What Python's `str.split` splits at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are whitespace there
const WHITESPACE = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/**
 * Cleans a text for the tokenizer, as in open_clip `tokenizer.py`: `_clean_canonicalize` (no punctuation, lower case),
 * `_clean_lower` and `_clean_whitespace`, each after `basic_clean`: ftfy, then `html.unescape` twice.
 */
export function cleanText(text: string, clean: TextDescription['clean']): string {
  const plain = unescapeReferences(unescapeReferences(fixText(text.slice(0, MAX_TEXT))));
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

/** Maximum rounds until nothing changes; references may be escaped several times over. */
const MAX_ROUNDS = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how they begin
const TERMINAL_ESCAPES = /\u001b\[[\d;]*[a-zA-Z]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u206a-\u206f\ufeff\ufff9-\ufffc]/g;

/**
 * Fixes the glitches that ftfy (6.3, `fix_text` with its defaults) fixes in every text: character references, C1
 * control characters, Latin ligatures, fullwidth and halfwidth forms, curly quotes, lone surrogates, terminal escapes,
 * control characters, and characters that are not composed (NFC). It does not repair wrongly decoded text
 * (`fix_encoding`), and leaves line breaks to callers, which collapse whitespace.
 */
function fixText(text: string): string {
  let isPlain = true;
  const lines = text.toWellFormed().split(/(?<=\n)/);
  return lines
    .map((line) => {
      // After a tag the text may be HTML whose references are intended; like ftfy, keep them from there on.
      isPlain &&= !line.includes('<');
      return fixLine(line, isPlain);
    })
    .join('');
}

function fixLine(line: string, isPlain: boolean): string {
  let fixed = line;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = fixed;
    if (isPlain) fixed = unescapeClosedReferences(fixed);
    fixed = fixed
      .replace(/[\u0080-\u009f]/g, fromWindows1252)
      .replace(/[\u0132\u0133\u0149\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufb06]/g, withoutLigature)
      .replace(/[\uff01-\uffef]/g, compatible)
      .replaceAll('\u3000', ' ')
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u02bc\u2018-\u201b]/g, "'")
      .replace(TERMINAL_ESCAPES, '')
      .replace(CONTROL, '')
      .normalize('NFC');
    if (fixed === before) break;
  }
  return fixed;
}

/** The ligature of long s and t keeps its long s, as in ftfy. */
function withoutLigature(character: string): string {
  return character === '\ufb05' ? '\u017ft' : compatible(character);
}

function compatible(character: string): string {
  return character.normalize('NFKC');
}

/** Decodes a C1 control character (0x80 to 0x9F) as the Windows-1252 character that was most likely meant. */
function fromWindows1252(control: string): string {
  return decodeHTML(`&#${control.charCodeAt(0)};`);
}

/** Decodes every HTML 5 character reference once, as Python's `html.unescape`: also those without a semicolon. */
function unescapeReferences(text: string): string {
  return text.replace(/&(?:#(?:\d+|[xX][0-9a-fA-F]+);?|[A-Za-z][A-Za-z0-9]{1,31};?)/g, unescapeReference);
}

function unescapeReference(reference: string): string {
  return isNoCharacter(codeOf(reference)) ? '' : decodeHTML(reference);
}

/** Decodes unambiguous references, as ftfy's `unescape_html`: those with a semicolon, also in all capitals. */
function unescapeClosedReferences(text: string): string {
  return text.replace(/&#?[0-9A-Za-z]{1,24};/g, (reference) => {
    if (!reference.startsWith('&#')) return namedCharacter(reference) ?? reference;
    const character = unescapeReferences(reference);
    return character.includes(';') ? reference : character;
  });
}

/** `&EACUTE;` is a capital É, since no reference starts like that. */
function namedCharacter(reference: string): string | undefined {
  const known = decodedStrictly(reference);
  if (known !== undefined || reference !== reference.toUpperCase()) return known;
  return decodeHTML(reference) === reference
    ? decodedStrictly(reference.toLowerCase())?.toUpperCase()
    : undefined;
}

function decodedStrictly(reference: string): string | undefined {
  const character = decodeHTMLStrict(reference);
  return character === reference ? undefined : character;
}

/** The number in a reference, NaN if it is a name. */
function codeOf(reference: string): number {
  const [, decimal, hex] = /^&#(?:(\d+)|[xX]([0-9a-fA-F]+))/.exec(reference) ?? [];
  return hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
}

/** Whether a code point is a Unicode noncharacter, or an ASCII control character other than white space. */
function isNoCharacter(code: number): boolean {
  const isControl = (code > 0 && code < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(code)) || code === 0x7f;
  const isReserved = (code >= 0xfdd0 && code <= 0xfdef) || (code <= 0x10ffff && (code & 0xfffe) === 0xfffe);
  return isControl || isReserved;
}
