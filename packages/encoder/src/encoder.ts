import { availableParallelism } from 'node:os';
import { LIMITS } from '@bindery/contract';
import { readDescription } from './description.ts';
import { EncoderError } from './errors.ts';
import { INCLUDED_MODEL, INCLUDED_VERSION } from './included/included-model.ts';
import { folderOfModel, modelId } from './models.ts';
import type { EncoderTask } from './run/messages.ts';
import { ModelProcess } from './run/model-process.ts';
import { requireRuntime } from './run/session.ts';
import { versionOf } from './version.ts';

/** Turns texts and pictures into vectors of one space: the nearer in meaning, the larger the cosine. */
export interface Encoder {
  /** `<encoder library>/<model>/<pretrained>`, as it stands in a sidecar. */
  readonly id: string;
  /** What decides its numbers: equal versions give equal vectors. */
  readonly version: string;
  /** How many numbers a vector has. */
  readonly dim: number;
  /** One vector of length 1 for each text, in their order. Throws `EncoderError`. */
  embedText(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /**
   * One vector of length 1 for each picture (the bytes of a PNG, JPEG or WebP file), in their order. Throws
   * `EncoderError`; with `failure: 'image'` its `index` says which one cannot be decoded.
   */
  embedImages(images: readonly Uint8Array[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Ends the process and frees the model; calls under way fail with `failure: 'closed'`. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** Gives the call up; what waits leaves the queue. */
  signal?: AbortSignal | undefined;
}

export interface EncoderOptions {
  /** Where models are kept: see `modelFolder`. */
  folder: string;
  /** A short name, or `<library>/<model>/<pretrained>`: see `modelId`. */
  model: string;
  /** Longest time for one batch, in milliseconds, once the model is loaded; 60 s. */
  timeLimit?: number;
  /** Longest time to load the model, in milliseconds; 2 minutes. */
  loadTimeLimit?: number;
  /** How many batches may wait; one more fails with `EncoderBusy`; 64. */
  queueLength?: number;
  /** How many processors one run of the model uses; all by default. */
  threads?: number;
}

/** Items that a model takes at once: more are no faster on a processor, and take memory. */
const BATCH = { text: 32, image: 8 } as const;

/**
 * An encoder with a process of its own, in which the model is loaded when it is first used. Throws `EncoderError`:
 * `missing` where the model, or the package that runs it, is not installed, `damaged` where its description is wrong; `RangeError` for a name that
 * is none.
 */
export async function createEncoder(options: EncoderOptions): Promise<Encoder> {
  const id = modelId(options.model);
  const { worker, dim, version } =
    id === INCLUDED_MODEL ? openIncluded(options) : await openModel(id, options);

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
    version,
    dim,
    embedText: (texts, { signal } = {}) =>
      embed(
        inBatches(texts, BATCH.text).map((items) => ({ kind: 'text', items })),
        signal,
      ),
    embedImages: (images, { signal } = {}) =>
      embed(
        inBatches(images, BATCH.image).map((items) => ({ kind: 'image', items })),
        signal,
      ),
    close: () => worker.close(),
  };
}

interface OpenedModel {
  worker: ModelProcess;
  dim: number;
  version: string;
}

function openIncluded(options: EncoderOptions): OpenedModel {
  const entry = new URL('./included/included-entry.ts', import.meta.url);
  const worker = new ModelProcess(entry, null, limitsOf(options));
  return { worker, dim: LIMITS.embedding.dimensions, version: INCLUDED_VERSION };
}

async function openModel(id: string, options: EncoderOptions): Promise<OpenedModel> {
  requireRuntime();
  const description = await readDescription(options.folder, id);
  const { threads = availableParallelism() } = options;
  const folder = folderOfModel(options.folder, id);
  const entry = new URL('./run/model-entry.ts', import.meta.url);
  const worker = new ModelProcess(entry, { folder, description, threads }, limitsOf(options));
  return { worker, dim: description.dim, version: versionOf(description) };
}

function limitsOf({ timeLimit = 60_000, loadTimeLimit = 120_000, queueLength = 64 }: EncoderOptions) {
  return { timeLimit, loadTimeLimit, queueLength };
}

/** The same error, counted from the first item of the whole call. */
function inCall(error: EncoderError, index: number): EncoderError {
  return new EncoderError(error.failure, error.message, { index, cause: error });
}

function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}
