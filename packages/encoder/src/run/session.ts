import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import type { ModelDescription, ModelFile } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { decodeImage, prepareImage } from '../images.ts';
import { hashOf } from '../store/model-folder.ts';
import { loadTokenizer } from '../text.ts';
import { normalizeRows } from './messages.ts';

const RUNTIME = 'onnxruntime-node';

/** The log severity "fatal": only errors that end the process are printed; all others are thrown. */
const SILENT = 4;

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

/** Loads the image half of a model. The returned function encodes pictures and concatenates their vectors. */
export async function loadImageHalf(
  folder: string,
  { image, dim }: ModelDescription,
  threads: number,
): Promise<(images: readonly Uint8Array[]) => Promise<Float32Array>> {
  const { runtime, inference } = await openSession(join(folder, image.model), threads);
  const numbersOfOne = 3 * image.size * image.size;
  return async (images) => {
    const numbers = new Float32Array(images.length * numbersOfOne);
    for (const [index, bytes] of images.entries()) {
      const picture = await decodeImage(bytes).catch((cause: Error) => {
        throw new EncoderError('image', `The picture cannot be decoded: ${cause.message}`, { index, cause });
      });
      numbers.set(prepareImage(picture, image), index * numbersOfOne);
    }
    const input = new runtime.Tensor('float32', numbers, [images.length, 3, image.size, image.size]);
    const answers = await inference.run({ [image.input]: input }, [image.output], {
      logSeverityLevel: SILENT,
    });
    return normalizeRows(answers[image.output], images.length, dim);
  };
}

/** Loads the text half of a model. The returned function encodes texts and concatenates their vectors. */
export async function loadTextHalf(
  folder: string,
  { text, dim }: ModelDescription,
  threads: number,
): Promise<(texts: readonly string[]) => Promise<Float32Array>> {
  const tokenize = await loadTokenizer(join(folder, text.tokenizer), text);
  const { runtime, inference } = await openSession(join(folder, text.model), threads);
  const wantsMask = inference.inputNames.includes('attention_mask');
  return async (texts) => {
    const ids = texts.map(tokenize);
    const shape = [texts.length, text.length];
    const tensor = (numbers: number[]) =>
      new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), shape);
    const answers = await inference.run(
      {
        [text.input]: tensor(ids.flat()),
        // The models were trained without a mask, so every position counts, padding included.
        ...(wantsMask && { attention_mask: tensor(new Array<number>(ids.length * text.length).fill(1)) }),
      },
      [text.output],
      { logSeverityLevel: SILENT },
    );
    return normalizeRows(answers[text.output], texts.length, dim);
  };
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
