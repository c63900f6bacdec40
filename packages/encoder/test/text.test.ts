import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TextDescription } from '../src/description.ts';
import { RECIPES } from '../src/recipes.ts';
import { cleanText, loadTokenizer } from '../src/text.ts';
import { smallVocabulary, tokenizerFile } from './small-model.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-tokenizers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const FILES = { model: 'text.onnx', tokenizer: 'tokenizer.json' };
const SIGLIP2: TextDescription = { ...FILES, ...RECIPES.get('open_clip/ViT-B-16-SigLIP2/webli')!.text };
const CLIP: TextDescription = { ...FILES, ...RECIPES.get('open_clip/ViT-L-14/openai')!.text };

test.each([
  ['A Red-Handled MUG, 3"!', 'canonicalize', 'a redhandled mug 3'],
  ['snake_case  name\n\tand more', 'canonicalize', 'snake case name and more'],
  ['赤い、マグ。', 'canonicalize', '赤い、マグ。'],
  ['ÉCLAIR', 'canonicalize', 'éclair'],
  ['A Red-Handled  MUG!', 'lower', 'a red-handled mug!'],
  ['Keep  Me', 'whitespace', 'Keep Me'],
  [' \n ', 'lower', ''],
] as const)('%j is cleaned (%s) to %j', (text, clean, cleaned) => {
  expect(cleanText(text, clean)).toBe(cleaned);
});

/** What open_clip's `_clean_canonicalize`, `_clean_lower` and `_clean_whitespace` answer with ftfy 6.3.1. */
test.each([
  [
    'Broken text&hellip; it&#x2019;s ﬂubberiﬁc!',
    'broken text… its flubberific',
    "broken text… it's flubberific!",
    "Broken text… it's flubberific!",
  ],
  ['don’t ʼ “x” ‟y‟', 'dont x y', `don't ' "x" "y"`, `don't ' "x" "y"`],
  ['‘ﬅ’ ĳs ǅ', 'ſt ijs dž', "'ſt' ijs dž", "'ſt' ijs Dž"],
  ['ＬＯＵＤ　ＮＯＩＳＥＳ', 'loud noises', 'loud noises', 'LOUD NOISES'],
  ['Ｕﾀｰﾝ ｶﾞ', 'uターン ガ', 'uターン ガ', 'Uターン ガ'],
  ['e\u0301 K\u0308 \u212b', 'é k̈ å', 'é k̈ å', 'é K̈ Å'],
  ['\u001b[36;44mblue\u001b[0m mug', 'blue mug', 'blue mug', 'blue mug'],
  ['a\u200bb\ufeffc\u2028d\u0000\u0007', 'a\u200bbc d', 'a\u200bbc d', 'a\u200bbc d'],
  ['caf\u0085 \u0093q\u0094', 'caf… q', 'caf… "q"', 'caf… "q"'],
  ['rock&#39;n&#39;roll', 'rocknroll', "rock'n'roll", "rock'n'roll"],
  ['P&EACUTE;REZ', 'pérez', 'pérez', 'PÉREZ'],
  ['a &amp;amp;amp;amp; b &amp;lt;c&amp;gt;', 'a b c', 'a & b <c>', 'a & b <c>'],
  ['<b>&lt;&amp;amp;amp;lt;', 'bamplt', '<b><&amp;lt;', '<b><&amp;lt;'],
  ['<p>&rsquo;</p>', 'p’p', '<p>’</p>', '<p>’</p>'],
  ['ÀÉ&nbsp;&nbsp;Ω &apos;&QUOT;', 'àé ω', `àé ω '"`, `ÀÉ Ω '"`],
  ['this&not that &copy2026', 'this¬ that ©2026', 'this¬ that ©2026', 'this¬ that ©2026'],
  ['&#0;&#128;&#1114112;&#x1f600;', '\ufffd€\ufffd😀', '\ufffd€\ufffd😀', '\ufffd€\ufffd😀'],
  ['&bogus;', 'bogus', '&bogus;', '&bogus;'],
  ['a &nLeftrightarrow; b&notit;', 'a ⇎ b¬it', 'a ⇎ b¬it;', 'a ⇎ b¬it;'],
])('%j is cleaned as open_clip cleans it', (text, canonicalized, lower, whitespace) => {
  expect(cleanText(text, 'canonicalize')).toBe(canonicalized);
  expect(cleanText(text, 'lower')).toBe(lower);
  expect(cleanText(text, 'whitespace')).toBe(whitespace);
});

test('of a text that is escaped 20,000 times, only the first 18 levels are decoded', () => {
  // Decoding all levels, one after another, would take time that grows with the square of the length.
  const text = `&${'amp;'.repeat(20_000)}`;
  const read = text.slice(0, 16_384);
  expect(cleanText(text, 'lower')).toBe(read.replace('amp;'.repeat(18), ''));
});

/** A vocabulary as Gemma has it: spaces are tokens, what is unknown falls back to bytes. */
const GEMMA_LIKE = {
  version: '1.0',
  added_tokens: ['<pad>', '<eos>', '<bos>', '<unk>'].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    fuse_unk: true,
    byte_fallback: true,
    vocab: Object.fromEntries(
      [
        '<pad>',
        '<eos>',
        '<bos>',
        '<unk>',
        '▁',
        'a',
        'm',
        'u',
        'g',
        'mu',
        'mug',
        '▁mug',
        '<0xE8>',
        '<0xB5>',
        '<0xA4>',
      ].map((token, id) => [token, id]),
    ),
    merges: ['m u', 'mu g', '▁ mug'],
  },
};

test('SigLIP 2 tokens get an end token and are padded or cut to 64', async () => {
  const file = join(folder, 'gemma.json');
  await writeFile(file, JSON.stringify(GEMMA_LIKE));
  const { tokenize } = await loadTokenizer(file, SIGLIP2);
  const padded = (...ids: number[]) => [...ids, ...new Array<number>(64 - ids.length).fill(0)];
  expect(tokenize('A mug!')).toEqual(padded(5, 11, 1));
  expect(tokenize('mug 赤')).toEqual(padded(10, 4, 12, 13, 14, 1));
  expect(tokenize('')).toEqual(padded(1));
  const long = tokenize('mug '.repeat(500));
  expect(long).toEqual([10, ...new Array<number>(62).fill(11), 1]);
});

test('CLIP tokens get a start and an end token and zeros up to 77; a long text keeps both', async () => {
  const file = join(folder, 'bytes.json');
  await writeFile(file, tokenizerFile(smallVocabulary()));
  const { tokenize } = await loadTokenizer(file, CLIP);
  const short = tokenize('Red');
  expect(short).toHaveLength(77);
  expect(short.slice(0, 1)).toEqual([49_406]);
  expect(short.indexOf(49_407)).toBe(2);
  expect(short.slice(3)).toEqual(new Array(74).fill(0));
  const long = tokenize('many words '.repeat(400));
  expect(long).toHaveLength(77);
  expect([long[0], long[76]]).toEqual([49_406, 49_407]);
  expect(tokenize('').slice(0, 3)).toEqual([49_406, 49_407, 0]);
});
