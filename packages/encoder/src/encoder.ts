import { availableParallelism } from 'node:os';
import { readDescription } from './description.ts';
import { EncoderError } from './errors.ts';
import { INCLUDED_MODEL, includedEncoder } from './included/included-model.ts';
import { isLearnedInLatin } from './known-words.ts';
import { folderOfModel, modelId } from './models.ts';
import type { EncoderTask } from './run/messages.ts';
import { ModelProcess } from './run/model-process.ts';
import { requireRuntime } from './run/session.ts';
import { factsOf, type ModelFacts } from './version.ts';

/** Turns texts and pictures into vectors in one space: the closer in meaning, the larger the cosine. */
export interface Encoder {
  /** `<encoder library>/<model>/<pretrained>`, as in a sidecar. */
  readonly id: string;
  /** Identifies everything that determines the vectors: equal versions give equal vectors. */
  readonly version: string;
  /** Number of dimensions of a vector. */
  readonly dim: number;
  /** Whether it encodes pictures too, not texts alone. */
  readonly encodesImages: boolean;
  /** Returns one vector of length 1 per text, in order. Throws `EncoderError`. */
  embedText(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /**
   * Returns one vector of length 1 per picture (the bytes of a PNG, JPEG or WebP file), in order. Throws
   * `EncoderError`; with `failure: 'image'`, its `index` says which picture cannot be decoded.
   */
  embedImages(images: readonly Uint8Array[], options?: EmbedOptions): Promise<Float32Array[]>;
  /**
   * Returns the cosine with this text from which something is related to it, not merely as near as anything else:
   * infinite if the model does not know the words of the text, null if this is not known of the model.
   */
  relatedFrom(text: string): Promise<number | null>;
  /**
   * Returns what compares the text of an asset with a query, word by word: how far its words say what each of the query's
   * says, from 0 to 1. Null if the model does not compare words.
   */
  compareWords(query: string): Promise<((text: string) => number) | null>;
  /** Stops the process and frees the model; pending calls fail with `failure: 'closed'`. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** Whether the texts are what somebody searches for, not what describes assets. */
  isQuery?: boolean;
  /** Cancels the call; a batch that is still waiting leaves the queue. */
  signal?: AbortSignal | undefined;
}

export interface EncoderOptions {
  /** Where models are stored: see `modelFolder`. */
  folder: string;
  /** A short name, or `<library>/<model>/<pretrained>`: see `modelId`. */
  model: string;
  /** Time limit for one batch once the model is loaded, in milliseconds; 60 s by default. */
  timeLimit?: number;
  /** Time limit for loading the model, in milliseconds; 2 minutes by default. */
  loadTimeLimit?: number;
  /** Maximum number of waiting batches, 64 by default; any more fail with `EncoderBusy`. */
  queueLength?: number;
  /** How many processors one run of the model uses; all by default. */
  threads?: number;
}

/** Nothing is related to a text whose words the model does not know. */
const UNKNOWN_WORDS = Number.POSITIVE_INFINITY;

/** Items per task of the process, between which others get their turn. */
const BATCH = { text: 32, image: 8 } as const;

/**
 * Creates an encoder, with its own process, which loads the model on first use, unless it is the included one. Throws `EncoderError`: `missing` if the
 * model, or the package that runs it, is not installed, `damaged` if its description is invalid. Throws `RangeError`
 * for an invalid model name.
 */
export async function createEncoder(options: EncoderOptions): Promise<Encoder> {
  const id = modelId(options.model);
  if (id === INCLUDED_MODEL) return includedEncoder();
  const { worker, ...model } = await openModel(id, options);
  const { dim } = model;

  async function embed(batches: Iterable<EncoderTask>, signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of batches) {
      const rows = await worker.run(batch, signal).catch((error: EncoderError) => {
        throw error.index === null ? error : inCall(error, error.index + vectors.length);
      });
      for (let start = 0; start < rows.length; start += dim) vectors.push(rows.slice(start, start + dim));
    }
    return vectors;
  }

  return {
    id,
    ...model,
    embedText: (texts, { isQuery = false, signal } = {}) =>
      embed(
        inBatches(texts, BATCH.text).map((items) => ({ kind: isQuery ? 'query' : 'text', items })),
        signal,
      ),
    embedImages: (images, { signal } = {}) =>
      embed(
        inBatches(images, BATCH.image).map((items) => ({ kind: 'image', items })),
        signal,
      ),
    compareWords: async () => null,
    close: () => worker.close(),
  };
}

interface OpenedModel extends ModelFacts, Pick<Encoder, 'relatedFrom'> {
  worker: ModelProcess;
}

async function openModel(id: string, options: EncoderOptions): Promise<OpenedModel> {
  requireRuntime();
  const description = await readDescription(options.folder, id);
  const { threads = availableParallelism() } = options;
  const folder = folderOfModel(options.folder, id);
  const entry = new URL('./run/model-entry.ts', import.meta.url);
  const worker = new ModelProcess(entry, { folder, description, threads }, limitsOf(options));
  const { text: texts, relatedFrom = null } = description;
  return {
    worker,
    ...factsOf(description),
    async relatedFrom(text) {
      if (texts.script === undefined) return relatedFrom;
      const countPieces = async (latin: string) => {
        const [pieces = 0] = await worker.run({ kind: 'pieces', items: [latin] });
        return pieces;
      };
      return (await isLearnedInLatin(text, countPieces)) ? relatedFrom : UNKNOWN_WORDS;
    },
  };
}

function limitsOf({ timeLimit = 60_000, loadTimeLimit = 120_000, queueLength = 64 }: EncoderOptions) {
  return { timeLimit, loadTimeLimit, queueLength };
}

/** Returns the same error with its index counted from the first item of the whole call. */
function inCall(error: EncoderError, index: number): EncoderError {
  return new EncoderError(error.failure, error.message, { index, cause: error });
}

function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}
