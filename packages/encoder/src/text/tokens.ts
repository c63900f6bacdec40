import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import type { TextDescription } from '../description.ts';
import { cleanText } from './clean.ts';

/** Turns a text into exactly as many token ids as the model takes. */
export type Tokenize = (text: string) => number[];

/** Reads a `tokenizer.json`. */
export async function loadTokenizer(file: string, description: TextDescription): Promise<Tokenize> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(file, 'utf8')), {});
  return (text) => {
    const cleaned = cleanText(text, description.clean);
    const ids = cleaned === '' ? [] : tokenizer.encode(cleaned, { add_special_tokens: false }).ids;
    return padAndTruncate(ids, description);
  };
}

/** Start, text, end, padding. A text that is too long loses its last tokens, never the end token. */
export function padAndTruncate(
  ids: readonly number[],
  { length, start, end, pad }: TextDescription,
): number[] {
  const before = start === null ? [] : [start];
  const after = end === null ? [] : [end];
  const kept = ids.slice(0, length - before.length - after.length);
  const framed = [...before, ...kept, ...after];
  return [...framed, ...new Array<number>(length - framed.length).fill(pad)];
}
