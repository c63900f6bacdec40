import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DESCRIPTION_FILE, DESCRIPTION_SCHEMA, type ModelDescription } from '../src/description.ts';
import { folderOfModel } from '../src/models.ts';
import { writeOnnx } from './onnx.ts';

export const SMALL_TEXT_MODEL = 'bindery/small/things';

/** What it knows, each as the words that mean it. */
const MEANINGS = [
  ['robot', 'machine', 'робот', '机', '器', '人'],
  ['arm', 'limb', 'рука', '手', '臂'],
  ['mug', 'cup', 'чашка', '杯'],
  ['lamp', 'light', 'лампа', '灯'],
] as const;

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const TOKENS = [...SPECIAL, ...MEANINGS.flat(), ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)];

/** One dimension for each meaning, and one for whatever means nothing. */
const DIM = MEANINGS.length + 1;

/**
 * Writes a text model with the inputs and outputs of sentence-transformers' MiniLM in a few kilobytes. It knows four
 * things in three scripts; it spells other words.
 * @param folder where models are stored, as `BINDERY_MODEL_DIR`
 */
export async function writeSmallTextModel(
  folder: string,
  { id = SMALL_TEXT_MODEL, ...traits }: { id?: string; script?: 'Latin'; meaning?: 'title' } = {},
): Promise<ModelDescription> {
  const contents = { 'model.onnx': graph(), 'tokenizer.json': Buffer.from(tokenizer()) };
  const description: ModelDescription = {
    schema: DESCRIPTION_SCHEMA,
    id,
    dim: DIM,
    relatedFrom: 0.5,
    text: {
      model: 'model.onnx',
      input: 'input_ids',
      output: 'last_hidden_state',
      tokenizer: 'tokenizer.json',
      length: 32,
      clean: 'whitespace',
      start: SPECIAL.indexOf('[CLS]'),
      end: SPECIAL.indexOf('[SEP]'),
      pad: SPECIAL.indexOf('[PAD]'),
      pooling: 'mean',
      ...traits,
    },
    files: Object.entries(contents).map(([name, bytes]) => ({
      name,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  };
  const own = folderOfModel(folder, id);
  await mkdir(own, { recursive: true });
  for (const [name, bytes] of Object.entries(contents)) await writeFile(join(own, name), bytes);
  await writeFile(join(own, DESCRIPTION_FILE), `${JSON.stringify(description, null, 2)}\n`);
  return description;
}

/** `input_ids [n, tokens]` → `last_hidden_state [n, tokens, 5]`: a row of a table for each token. */
function graph(): Uint8Array {
  const numbers = new Float32Array(TOKENS.length * DIM);
  for (const [token, word] of TOKENS.entries()) {
    const meaning = MEANINGS.findIndex((words) => (words as readonly string[]).includes(word));
    const isSpecial = token < SPECIAL.length;
    numbers[token * DIM + (meaning < 0 ? DIM - 1 : meaning)] = isSpecial ? 0.01 : 1;
  }
  return writeOnnx({
    inputs: [{ name: 'input_ids', element: 'int64', dims: ['n', 'tokens'] }],
    outputs: [{ name: 'last_hidden_state', element: 'float', dims: ['n', 'tokens', DIM] }],
    constants: [{ name: 'table', dims: [TOKENS.length, DIM], numbers }],
    operations: [{ operator: 'Gather', inputs: ['table', 'input_ids'], output: 'last_hidden_state' }],
  });
}

/** Words, and letters for those that it does not know: WordPiece, as BERT has it. */
function tokenizer(): string {
  return JSON.stringify({
    version: '1.0',
    added_tokens: SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])),
    },
  });
}
