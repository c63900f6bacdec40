import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import type { ModelDescription, ModelFile } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { decodeImage, prepareImage } from '../images.ts';
import { meaningParts } from '../nouns/meaning.ts';
import { hashOf } from '../store/model-folder.ts';
import { loadTokenizer } from '../text.ts';
import { type ModelAnswer, normalizeRows } from './messages.ts';

const RUNTIME = 'onnxruntime-node';

/** The log severity "fatal": only errors that end the process are printed; all others are thrown. */
const SILENT = 4;
const QUIETLY = { logSeverityLevel: SILENT } as const;

type Runtime = typeof import('onnxruntime-node');

/** A loaded ONNX model and the runtime that creates its tensors. */
interface Session {
  runtime: Runtime;
  inference: InferenceSession;
}

/** Loads an ONNX file. Throws `EncoderError`: `missing` without the runtime, `damaged` if it rejects the file. */
async function openSession(file: string, threads: number): Promise<Session> {
  const runtime = await importRuntime();
  try {
    const inference = await runtime.InferenceSession.create(file, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      // Free the memory of each batch when it is done, and do not let waiting threads spin.
      enableCpuMemArena: false,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: SILENT,
    });
    return { runtime, inference };
  } catch (cause) {
    throw new EncoderError('damaged', `${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}

/** Throws `EncoderError` (`missing`) if the package that runs models was left out of the installation. */
export function requireRuntime(): void {
  try {
    createRequire(import.meta.url).resolve(RUNTIME);
  } catch (cause) {
    throw runtimeMissing(cause);
  }
}

async function importRuntime(): Promise<Runtime> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw runtimeMissing(cause);
  }
}

function runtimeMissing(cause: unknown): EncoderError {
  const [firstLine] = (cause as Error).message.split('\n');
  return new EncoderError(
    'missing',
    `The package ${RUNTIME}, which runs models, is not installed here or does not load (${firstLine}). ` +
      `"npm install --ignore-scripts ${RUNTIME}" adds it; with --global where Bindery is.`,
    { cause },
  );
}

/**
 * Loads the image half of a model. The returned function encodes pictures and concatenates their vectors. Throws
 * `EncoderError` (`failed`) if the model encodes none.
 */
export async function loadImageHalf(
  folder: string,
  { id, image, dim }: ModelDescription,
  threads: number,
): Promise<(images: readonly Uint8Array[]) => Promise<Float32Array>> {
  if (image === undefined) throw new EncoderError('failed', `The model ${id} only encodes texts.`);
  const { runtime, inference } = await openSession(join(folder, image.model), threads);
  const embed = async (bytes: Uint8Array) => {
    const picture = await decodeImage(bytes).catch((cause: Error) => {
      throw new EncoderError('image', `The picture cannot be decoded: ${cause.message}`, { index: 0, cause });
    });
    const numbers = prepareImage(picture, image);
    const input = new runtime.Tensor('float32', numbers, [1, 3, image.size, image.size]);
    const answers = await inference.run({ [image.input]: input }, [image.output], QUIETLY);
    return normalizeRows(answers[image.output], 1, dim);
  };
  return (images) => eachAlone(images, dim, embed);
}

/** The text half of a model. */
interface TextHalf {
  /** Encodes texts of assets and concatenates their vectors. */
  embed(texts: readonly string[]): Promise<Float32Array>;
  /** Encodes what somebody searches for, likewise. */
  embedQueries(texts: readonly string[]): Promise<Float32Array>;
  /** Returns into how many pieces the tokenizer cuts each text. */
  countPieces(texts: readonly string[]): Float32Array;
}

export async function loadTextHalf(
  folder: string,
  { text, dim }: ModelDescription,
  threads: number,
): Promise<TextHalf> {
  const tokenizer = await loadTokenizer(join(folder, text.tokenizer), text);
  const { runtime, inference } = await openSession(join(folder, text.model), threads);
  const has = (input: string) => inference.inputNames.includes(input);

  const embedWhole = async (one: string) => {
    const ids = tokenizer.tokenize(one);
    const tensor = (numbers: readonly number[]) =>
      new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, ids.length]);
    const answers = await inference.run(
      {
        [text.input]: tensor(ids),
        // Models whose texts are padded were trained without a mask, so every position counts.
        ...(has('attention_mask') && { attention_mask: tensor(ids.map(() => 1)) }),
        ...(has('token_type_ids') && { token_type_ids: tensor(ids.map(() => 0)) }),
      },
      [text.output],
      QUIETLY,
    );
    const answer = answers[text.output];
    return normalizeRows(text.pooling ? meanOfTokens(answer, ids.length) : answer, 1, dim);
  };
  const embed = async (one: string) => {
    const sum = await embedWhole(one);
    if (text.meaning === undefined) return sum;
    const [title = ''] = one.split('. ', 1);
    for (const { text: meant, weight } of meaningParts(title)) {
      const vector = await embedWhole(meant);
      for (const [at, value] of vector.entries()) sum[at] = (sum[at] as number) + weight * value;
    }
    return normalizeRows({ type: 'float32', dims: [1, dim], data: sum }, 1, dim);
  };
  return {
    embed: (texts) => eachAlone(texts, dim, embed),
    embedQueries: (texts) => eachAlone(texts, dim, embedWhole),
    countPieces: (texts) => Float32Array.from(texts, (one) => tokenizer.countPieces(one)),
  };
}

/**
 * Runs a model once for each item: in a batch, the vectors of quantised models would depend on the other items, and a
 * batch is no faster on a CPU.
 */
async function eachAlone<Item>(
  items: readonly Item[],
  dim: number,
  embed: (item: Item) => Promise<Float32Array>,
): Promise<Float32Array> {
  const rows = new Float32Array(items.length * dim);
  for (const [index, item] of items.entries()) {
    try {
      rows.set(await embed(item), index * dim);
    } catch (cause) {
      if (!(cause instanceof EncoderError) || cause.index === null) throw cause;
      throw new EncoderError(cause.failure, cause.message, { index, cause });
    }
  }
  return rows;
}

/** Averages the vectors of tokens. An answer of another shape is returned as it is, to be refused. */
function meanOfTokens(answer: ModelAnswer | undefined, tokens: number): ModelAnswer | undefined {
  const { dims = [], data } = answer ?? {};
  const [count, length, dim = 0] = dims;
  if (!(data instanceof Float32Array) || dims.length !== 3 || count !== 1 || length !== tokens) return answer;
  const mean = new Float32Array(dim);
  for (const [at, value] of data.entries()) {
    mean[at % dim] = (mean[at % dim] as number) + value / tokens;
  }
  return { type: 'float32', dims: [1, dim], data: mean };
}

/**
 * Verifies the hashes of the files, runs `load`, and checks that no file changed meanwhile: a model may be replaced at
 * any time, and a mix of two models would yield wrong vectors. Throws `EncoderError` (`damaged`).
 */
export async function loadVerified<Loaded>(
  folder: string,
  files: readonly ModelFile[],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const before = await fileFingerprints(folder, files);
  for (const { name, sha256 } of files) {
    const hash = await hashOf(join(folder, name)).catch(() => null);
    if (hash !== sha256) throw changed(folder, name);
  }
  const loaded = await load();
  const after = await fileFingerprints(folder, files);
  for (const [at, mark] of after.entries()) if (mark !== before[at]) throw changed(folder, files[at]?.name);
  return loaded;
}

/** A string for each file that changes whenever the file does; null if there is no such file. */
function fileFingerprints(folder: string, files: readonly ModelFile[]): Promise<(string | null)[]> {
  return Promise.all(
    files.map(async ({ name }) => {
      const found = await stat(join(folder, name)).catch(() => null);
      return found && [found.ino, found.size, found.mtimeMs].join('-');
    }),
  );
}

function changed(folder: string, name: string | undefined): EncoderError {
  return new EncoderError('damaged', `${name} in ${folder} does not match its description.`);
}
