/** Longer words are cut to this many characters: nobody types them, and they would only take up space. */
const MAX_WORD = 40;

/** Letters that do not decompose into a base letter and an accent, with what people type instead. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

const ASCII = /^\p{ASCII}*$/u;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII_WORDS = /[A-Za-z0-9]+/g;
const CAMEL_BOUNDARY =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu}\p{Ll})|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Letters of scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{scx=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** A word as it occurs in a text. */
export interface TextWord {
  /** Lower-cased, without accents. */
  word: string;
  /** Its parts if it is written LikeThis, else the word alone. */
  parts: string[];
  /** The text between it and the previous word; null for the first word. */
  gap: string | null;
}

/** Returns the words of a text in order: maximal runs of letters and digits. */
export function splitWords(text: string): TextWord[] {
  const ascii = ASCII.test(text);
  const plain = ascii ? text : text.normalize('NFKC');
  const runs: TextWord[] = [];
  let end: number | null = null;
  for (const match of plain.matchAll(ascii ? ASCII_WORDS : WORDS)) {
    const [written] = match;
    const gap = end === null ? null : plain.slice(end, match.index);
    end = match.index + written.length;
    const lower = written.toLowerCase();
    const word = ascii ? cut(lower) : fold(lower);
    if (word === '') continue;
    // Most words have no capitals after the first letter, so they cannot be split.
    const isPlain = written === lower || written.slice(1) === lower.slice(1);
    const parts = isPlain ? [word] : written.split(CAMEL_BOUNDARY).map((part) => fold(part.toLowerCase()));
    runs.push({ word, parts: parts.length > 1 ? parts : [word], gap });
  }
  return runs;
}

/** Removes the accents from a word in lower case. */
function fold(lower: string): string {
  if (ASCII.test(lower)) return cut(lower);
  const bare = lower
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðłþı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
  return cut(bare.normalize('NFC'));
}

function cut(word: string): string {
  return word.length <= MAX_WORD ? word : [...word].slice(0, MAX_WORD).join('');
}

/** Whether a word is, at least in part, in a script without spaces between words. */
export function isUnspaced(word: string): boolean {
  return !ASCII.test(word) && word.search(UNSPACED) >= 0;
}

/** Returns every two adjacent letters of the unspaced runs in a word, and the text between such runs. */
export function bigrams(word: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > end) found.push(word.slice(end, match.index));
    end = match.index + match[0].length;
    const letters = [...match[0]];
    if (letters.length === 1) found.push(letters[0] as string);
    for (let at = 1; at < letters.length; at++) found.push(`${letters[at - 1]}${letters[at]}`);
  }
  if (end < word.length) found.push(word.slice(end));
  return found;
}
