/** Words of a phrase: shorter runs are shared by chance. */
const LENGTH = 4;

/** A library of fewer texts shares nothing that says more about the library than about them. */
const FEWEST = 4;

/** The texts of at most this many assets are read to find what most of them share. */
const MAX_READ = 500;

const WORD = /[\p{L}\p{N}]+/gu;
const LETTER = /[\p{L}\p{N}]/u;

/** What most texts of a library have in common, such as `This package contains a simplified description of …`. */
export type SharedPhrases = ReadonlySet<string>;

/** @param textOf returns the description of one of the assets; some of many are read */
export function findSharedPhrases(count: number, textOf: (asset: number) => string | null): SharedPhrases {
  const step = Math.max(1, Math.ceil(count / MAX_READ));
  const read = Array.from({ length: Math.ceil(count / step) }, (_, at) => textOf(at * step) ?? []).flat();
  const counts = new Map<string, number>();
  for (const text of read)
    for (const phrase of new Set(phrasesOf(text).map(({ words }) => words)))
      counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  const most = Math.max(FEWEST, Math.floor(read.length / 2) + 1);
  return new Set([...counts].flatMap(([phrase, count]) => (count >= most ? phrase : [])));
}

/**
 * Returns a text without these phrases, which say nothing about what it describes; a text that consists of them as it
 * is.
 */
export function withoutPhrases(text: string, shared: SharedPhrases): string {
  if (shared.size === 0) return text;
  let left = text;
  for (const { words, start, end } of phrasesOf(text)) {
    if (shared.has(words)) left = left.slice(0, start) + ' '.repeat(end - start) + left.slice(end);
  }
  return LETTER.test(left) ? left : text;
}

/** Returns every run of `LENGTH` words, and where it is. */
function phrasesOf(text: string): { words: string; start: number; end: number }[] {
  const words = [...text.matchAll(WORD)];
  return words.slice(LENGTH - 1).map((last, at) => ({
    words: words
      .slice(at, at + LENGTH)
      .map(([word]) => word.toLowerCase())
      .join(' '),
    start: words[at]?.index ?? 0,
    end: last.index + last[0].length,
  }));
}
