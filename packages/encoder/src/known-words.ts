/** A text cut into pieces of this many letters or fewer consists of words that a model never learned. */
const UNLEARNED = 2;

/** Letters of other scripts, which models of Latin words know one by one at best. */
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}/gu;

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a model whose tokenizer cuts a text into so many pieces has learned its words. */
export function isLearned(text: string, pieces: number): boolean {
  const letters = wordsOf(text).reduce((sum, word) => sum + word.length, 0);
  return letters > UNLEARNED * pieces;
}

/**
 * Whether a model of Latin words has learned those of a text. `countPieces` returns into how many pieces its tokenizer
 * cuts a text, here without the letters of other scripts.
 */
export async function isLearnedInLatin(
  text: string,
  countPieces: (latin: string) => Promise<number>,
): Promise<boolean> {
  const others = text.match(OTHER_LETTERS)?.length ?? 0;
  return isLearned(text, others + (await countPieces(text.replace(OTHER_LETTERS, ' '))));
}
