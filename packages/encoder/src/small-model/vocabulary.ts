/** The colours that the image half detects. Each word is one token. */
export const COLOR_WORDS = ['red', 'green', 'blue', 'yellow', 'purple', 'white', 'black'] as const;

export const PAD = 0;
export const END = 1;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** How byte-level tokenizers write a space. */
const SPACE = 'Ġ';

/** Tokens, and the pairs to merge in order of priority: byte-pair encoding (Sennrich et al., 2016). */
export interface Vocabulary {
  tokens: readonly string[];
  merges: readonly (readonly [string, string])[];
}

/** Every byte, pairs of letters, and the colour words: any text has tokens, and similar words share some. */
export function smallVocabulary(): Vocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => byteSymbol(byte));
  const merges: [string, string][] = [SPACE, ...LETTERS].flatMap((first) =>
    LETTERS.map((second): [string, string] => [first, second]),
  );
  for (const word of COLOR_WORDS) merges.push(...mergesOfWord(SPACE + word, merges));
  const merged = merges.map(([first, second]) => first + second);
  return { tokens: ['<pad>', '<eos>', ...bytes, ...new Set(merged)], merges };
}

/** The token id of a colour word. */
export function colorToken({ tokens }: Vocabulary, word: string): number {
  return tokens.indexOf(SPACE + word);
}

/** The `tokenizer.json` of a vocabulary. */
export function tokenizerFile({ tokens, merges }: Vocabulary): string {
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      { id: PAD, content: '<pad>', ...special },
      { id: END, content: '<eos>', ...special },
    ],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map((pair) => pair.join(' ')),
    },
  });
}

/** The further merges that turn a word into one token after the given merges are applied. */
function mergesOfWord(word: string, merges: readonly (readonly [string, string])[]): [string, string][] {
  let pieces = [...word];
  for (const [first, second] of merges) pieces = mergePair(pieces, first, second);
  const [start = '', ...rest] = pieces;
  let whole = start;
  return rest.map((piece) => {
    const pair: [string, string] = [whole, piece];
    whole += piece;
    return pair;
  });
}

function mergePair(pieces: readonly string[], first: string, second: string): string[] {
  const merged: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const isPair = pieces[at] === first && pieces[at + 1] === second;
    merged.push(isPair ? first + second : (pieces[at] as string));
    if (isPair) at++;
  }
  return merged;
}

/**
 * The character that stands for a byte in byte-level vocabularies (GPT-2): itself if visible, else the next one from
 * U+0100 on.
 */
function byteSymbol(byte: number): string {
  if (isVisible(byte)) return String.fromCharCode(byte);
  const place = Array.from({ length: byte }, (_, before) => before).filter((before) => !isVisible(before));
  return String.fromCharCode(256 + place.length);
}

function isVisible(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}
