import { splitWords } from '../../revision/words/text-words.ts';

/** Returns a text with its mistyped words replaced; everything else stays as it was typed. */
export function correctText(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[\p{L}\p{M}\p{N}]+/gu, (typed) => {
    const [run] = splitWords(typed);
    return corrections.get(run?.word ?? '') ?? typed;
  });
}
