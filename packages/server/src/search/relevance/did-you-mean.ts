import { splitWords } from '../../revision/words/split.ts';

/** A text with its mistyped words replaced; all else stays as it was typed. */
export function withCorrections(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[\p{L}\p{M}\p{N}]+/gu, (typed) => {
    const [run] = splitWords(typed);
    return corrections.get(run?.word ?? '') ?? typed;
  });
}
