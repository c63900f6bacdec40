import { bigrams, isUnspaced, splitWords, type TextWord } from './split.ts';
import { STOP_WORDS } from './stop-words.ts';

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
