import { stemmer } from 'stemmer';

/** Joined words are at most this long, unless hyphens join them: model names, but not whole titles. */
const MAX_JOINED = 12;

/** At most this many words are joined: `wx 250 s`. */
const MAX_RUNS = 3;

const DIGIT = /\p{N}/u;
const LETTERS_OR_DIGITS = /\p{N}+|[^\p{N}]+/gu;
const SEPARATORS = '-_ ./';

/** Returns the words that a text is found by, each once: see `eachTextWord`. */
export function textWords(text: string): Set<string> {
  const words = new Set<string>();
  eachTextWord(text, (word) => words.add(word));
  return words;
}

/**
 * Calls `visit` with the words that a text is found by, as often as they occur: its own words, the parts of names
 * LikeThis and of `arm100`, and words that are written apart but might be typed as one, such as `2F-85` or
 * `end-effector`. Stop words are left out.
 */
export function eachTextWord(text: string, visit: (word: string) => void): void {
  const runs = splitWords(text);
  const hasDigit = runs.map(({ word }) => DIGIT.test(word));
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as TextWord;
    if (run.parts.length === 1 && !hasDigit[at] && !isUnspaced(run.word)) {
      if (!STOP_WORDS.has(run.word)) visit(run.word);
    } else {
      for (const word of wordsOf(run)) if (!STOP_WORDS.has(word)) visit(word);
    }
    eachJoined(runs, hasDigit, at, visit);
  }
}

function wordsOf({ word, parts }: TextWord): readonly string[] {
  // The last letter is added alone, so that every letter begins an indexed word.
  if (isUnspaced(word)) return [...bigrams(word), [...word].at(-1) as string];
  const whole = parts.length === 1 ? parts : [word, ...parts];
  return DIGIT.test(word) ? [...whole, ...parts.flatMap(lettersAndDigits)] : whole;
}

/** `arm100` is also found by `arm` and by `100`; shorter parts say too little. */
function lettersAndDigits(word: string): string[] {
  return (word.match(LETTERS_OR_DIGITS) ?? []).filter((part) => part.length >= (DIGIT.test(part) ? 2 : 3));
}

/** Calls `visit` with this word joined to those right after it, if any of them has a digit or hyphens join them all. */
function eachJoined(
  runs: readonly TextWord[],
  hasDigit: readonly boolean[],
  at: number,
  visit: (word: string) => void,
): void {
  let length = runs[at]?.word.length ?? 0;
  let withDigit = hasDigit[at] as boolean;
  let hyphens = true;
  for (let next = at + 1; next < Math.min(runs.length, at + MAX_RUNS); next++) {
    const { word, gap } = runs[next] as TextWord;
    if (gap === null || gap.length !== 1 || !SEPARATORS.includes(gap)) return;
    hyphens &&= gap === '-';
    withDigit ||= hasDigit[next] as boolean;
    length += word.length;
    if (length > MAX_JOINED && !hyphens) return;
    if (hyphens || withDigit) visit(joined(runs, at, next));
  }
}

function joined(runs: readonly TextWord[], first: number, last: number): string {
  return runs
    .slice(first, last + 1)
    .map(({ word }) => word)
    .join('');
}

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

/** Returns the words that a word of a query is searched by: itself, or two letters each in a script without spaces. */
export function searchedWords({ word }: Pick<TextWord, 'word'>): string[] {
  const words = isUnspaced(word) ? bigrams(word) : [word];
  return words.filter((one) => !STOP_WORDS.has(one));
}

const LETTERS_ALONE = /^[a-z]{3,}$/;

/**
 * Returns what a word is indexed and looked up by: itself without inflection, so that "grippers" matches "gripper".
 * Names with digits and words in other scripts are left unchanged.
 */
export function termOf(word: string): string {
  if (!INFLECTED.test(word)) return word;
  const term = uninflected(word);
  return term.length < 3 ? word : term;
}

/**
 * Returns the stem that a term shares with its derivations, such as "manipulation" with "manipulator" (Porter, "An
 * algorithm for suffix stripping", Program 14, 1980); null if it can have none.
 */
export function stemOf(term: string): string | null {
  return LETTERS_ALONE.test(term) ? stemmer(term) : null;
}

/** What may have an ending: most words have none. */
const INFLECTED = /^[a-z]{2,}[sdgy]$/;

const VOWEL = /[aeiouy]/;

/** Removes the endings of plurals and of forms of verbs: the first step of Porter's algorithm. */
function uninflected(word: string): string {
  const single = word
    .replace(/(?<=ss|x|ch|sh|zz)es$/, '')
    .replace(/ies$/, 'i')
    .replace(/(?<=[^s])s$/, '');
  const bare = /eed$/.test(single) ? single : single.replace(/(?:ed|ing)$/, '');
  const isVerb = bare !== single && VOWEL.test(bare);
  return (isVerb ? mended(bare) : single).replace(/(?<=[aeiouy].*)y$/, 'i');
}

/** Returns what a verb was before its ending: `hing` becomes `hinge`, `gripp` `grip`. */
function mended(bare: string): string {
  if (/(?:at|bl|iz)$/.test(bare)) return `${bare}e`;
  if (/([^aeioulsz])\1$/.test(bare)) return bare.slice(0, -1);
  return /^[^aeiou]*[aeiouy][^aeiouwxy]$/.test(bare) ? `${bare}e` : bare;
}

/**
 * Words that say nothing about an asset, so they are ignored in texts and queries. The list is short on purpose: a
 * "can" is an object to grasp, and "no" and "up" occur in names.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by for from has have i in into is it its me my of on or our please some that the their them then
  there these they this those to was we were what which who with you your`.split(/\s+/),
);
