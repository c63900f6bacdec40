import { bigrams, isUnspaced, type Run, splitWords } from './split.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Joined words are at most this long: model names, and no whole titles. */
const MAX_JOINED = 12;

/** How many words are joined at most: `wx 250 s`. */
const MAX_RUNS = 3;

const DIGIT = /\p{N}/u;
const LETTERS_OR_DIGITS = /\p{N}+|[^\p{N}]+/gu;
const ONE_SEPARATOR = /^[-_ ./]$/;

/**
 * The words that a text is found by, each once: those that it is made of, the parts of names LikeThis and of `arm100`,
 * and what stands apart but may be typed in one, as `2F-85` or `end-effector`. Stop words are left out.
 */
export function textWords(text: string): Set<string> {
  const runs = splitWords(text);
  const words = new Set<string>();
  for (const [at, run] of runs.entries()) {
    for (const word of wordsOf(run)) if (!STOP_WORDS.has(word)) words.add(word);
    for (const joined of joinedFrom(runs, at)) words.add(joined);
  }
  return words;
}

function wordsOf({ word, parts }: Run): readonly string[] {
  // With its last letter alone, every letter begins a word that is indexed.
  if (isUnspaced(word)) return [...bigrams(word), [...word].at(-1) as string];
  const whole = parts.length === 1 ? parts : [word, ...parts];
  return DIGIT.test(word) ? [...whole, ...parts.flatMap(lettersAndDigits)] : whole;
}

/** `arm100` is also found by `arm` and by `100`; what is shorter says nothing. */
function lettersAndDigits(word: string): string[] {
  return (word.match(LETTERS_OR_DIGITS) ?? []).filter((part) => part.length >= (DIGIT.test(part) ? 2 : 3));
}

/** This word with those right after it, where letters meet digits or a hyphen joins them. */
function* joinedFrom(runs: readonly Run[], at: number): Generator<string> {
  let joined = runs[at]?.word ?? '';
  let hyphens = true;
  for (let next = at + 1; next < Math.min(runs.length, at + MAX_RUNS); next++) {
    const { word, gap } = runs[next] as Run;
    if (gap === null || !ONE_SEPARATOR.test(gap)) return;
    hyphens &&= gap === '-';
    joined += word;
    if (joined.length > MAX_JOINED && !hyphens) return;
    if (hyphens || DIGIT.test(joined)) yield joined;
  }
}
