import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { ManifestAsset } from '@bindery/contract';
import { rowProblem } from '@bindery/contract/manifest';
import { embeddingText, LIMITS } from '@bindery/contract/wire';
import { type ProgressListener, type WorkTotal, withProgress } from '../tree/progress.ts';
import { DerivedFileCache } from './derived-file-cache.ts';
import { type AssetVectors, type Row, rowOf } from './sidecar.ts';
import {
  type EmbeddedImage,
  type Embedder,
  type EmbeddingModel,
  type EmbeddingReport,
  textHash,
} from './vectors.ts';

const BATCH = 32;
const ROW_BYTES = LIMITS.embedding.dimensions * 4;

export interface EmbeddingOptions {
  cacheFolder: string;
  /** Report what would be encoded without encoding it. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** A thumbnail, regardless of where it is stored. */
export interface Picture {
  sha256: string;
  read(): Promise<Uint8Array>;
}

/** Where pictures and earlier vectors of assets come from. */
export interface EmbeddingSources {
  pictureOf(asset: ManifestAsset): Picture | null;
  /** Returns the library's vectors of this model that still fit their assets, by asset id. */
  loadReusable(): Promise<ReadonlyMap<string, AssetVectors>>;
}

/**
 * Returns the vectors of assets: from the cache, from the library, or otherwise from the model. A picture that cannot
 * be decoded gets a warning and no vector.
 */
export async function embedAssets(
  assets: readonly ManifestAsset[],
  model: EmbeddingModel,
  sources: EmbeddingSources,
  options: EmbeddingOptions,
): Promise<{ vectors: Map<string, AssetVectors>; report: EmbeddingReport }> {
  const tasks = assets.flatMap((asset) => tasksOf(asset, model, sources));
  const rows = new Map<string, Row>();
  const cache = new VectorCache(options.cacheFolder, model.version);
  const missing = await reuseRows(tasks, rows, cache, sources);
  const warnings = options.dryRun ? new Map<string, string>() : await encode(missing, rows, model, options);

  const distinct = (kind: EmbeddingInput['kind'], of: Iterable<Task>) =>
    new Set([...of].filter((task) => task.kind === kind).map(keyOf)).size;
  const counts = (kind: EmbeddingInput['kind']) => {
    const encoded = distinct(kind, missing);
    return { encoded, reused: distinct(kind, tasks) - encoded };
  };
  const vectors = new Map(assets.map(({ id }): [string, AssetVectors] => [id, { image: null, text: null }]));
  for (const task of tasks) {
    const own = vectors.get(task.asset);
    if (own !== undefined) own[task.kind] = rows.get(keyOf(task)) ?? null;
  }
  return {
    vectors,
    report: {
      model: model.id,
      images: counts('image'),
      texts: counts('text'),
      warnings: tasks.flatMap((task) => {
        const warning = warnings.get(keyOf(task));
        return warning === undefined ? [] : [{ asset: task.asset, warning }];
      }),
    },
  };
}

/** One vector that an asset needs. */
type Task = EmbeddingInput & { asset: string } & (
    | { kind: 'image'; read: Picture['read'] }
    | { kind: 'text'; text: string }
  );

function tasksOf(
  asset: ManifestAsset,
  { textOnly = false }: EmbeddingModel,
  { pictureOf }: EmbeddingSources,
): Task[] {
  const tasks: Task[] = [];
  const picture = textOnly ? null : pictureOf(asset);
  if (picture !== null) {
    const { sha256, read } = picture;
    tasks.push({ asset: asset.id, kind: 'image', sha256, read });
  }
  const [text, sha256] = [embeddingText(asset), textHash(asset)];
  if (text !== null && sha256 !== null) tasks.push({ asset: asset.id, kind: 'text', sha256, text });
  return tasks;
}

function keyOf({ kind, sha256 }: EmbeddingInput): string {
  return `${kind} ${sha256}`;
}

/**
 * Adds known vectors to `rows` and returns a task for each distinct content that is left. Rows of the library are of
 * the same model but of an unknown version: they are used if they fit, but never cached as this version's.
 */
async function reuseRows(
  tasks: readonly Task[],
  rows: Map<string, Row>,
  cache: VectorCache,
  sources: EmbeddingSources,
): Promise<Task[]> {
  const unknown: Task[] = [];
  for (const task of tasks) {
    const row = cache.find(task);
    if (row?.length === ROW_BYTES) rows.set(keyOf(task), row);
    else unknown.push(task);
  }
  if (unknown.length === 0) return [];
  const earlier = await sources.loadReusable();
  const missing = new Map<string, Task>();
  for (const task of unknown) {
    const row = earlier.get(task.asset)?.[task.kind] ?? null;
    if (row?.length === ROW_BYTES) rows.set(keyOf(task), row);
    else missing.set(keyOf(task), task);
  }
  return [...missing].flatMap(([key, task]) => (rows.has(key) ? [] : [task]));
}

/** Encodes and caches one batch at a time, so that an interrupted run is not lost. Returns warnings by key. */
async function encode(
  tasks: readonly Task[],
  rows: Map<string, Row>,
  model: EmbeddingModel,
  { cacheFolder, signal, progress }: EmbeddingOptions,
): Promise<Map<string, string>> {
  const warnings = new Map<string, string>();
  if (tasks.length === 0) return warnings;
  const embedder = await model.open();
  const cache = new VectorCache(cacheFolder, embedder.version);
  cache.trim();
  const total: WorkTotal = { bytes: 0, items: tasks.length, unit: 'images and texts' };
  try {
    await withProgress(progress, 'Encoding', total, async (work) => {
      for (const batch of batchesOf(tasks)) {
        signal?.throwIfAborted();
        const embedded = await embedBatch(embedder, batch, signal);
        for (const [at, task] of batch.entries()) {
          const result = embedded[at];
          if (result instanceof Float32Array) {
            const row = rowOf(verified(result, model.id));
            rows.set(keyOf(task), row);
            cache.keep(task, row);
          } else if (result !== undefined) warnings.set(keyOf(task), result.warning);
        }
        work.advance({ items: batch.length });
      }
    });
    return warnings;
  } finally {
    await embedder.close();
  }
}

/** Yields batches of pictures, then batches of texts; no batch contains both. */
function* batchesOf(tasks: readonly Task[]): Generator<Task[]> {
  for (const kind of ['image', 'text']) {
    const some = tasks.filter((task) => task.kind === kind);
    for (let at = 0; at < some.length; at += BATCH) yield some.slice(at, at + BATCH);
  }
}

async function embedBatch(
  embedder: Embedder,
  batch: readonly Task[],
  signal: AbortSignal | undefined,
): Promise<EmbeddedImage[]> {
  const texts = batch.flatMap((task) => (task.kind === 'text' ? [task.text] : []));
  if (texts.length > 0) return embedder.embedText(texts, signal);
  const images: Uint8Array[] = [];
  for (const task of batch) if (task.kind === 'image') images.push(await task.read());
  return embedder.embedImages(images, signal);
}

function verified(vector: Float32Array, model: string): Float32Array {
  const { dimensions } = LIMITS.embedding;
  if (vector.length !== dimensions) {
    throw new Error(
      `${model} returns vectors of ${vector.length} dimensions; those of a library have ${dimensions}`,
    );
  }
  if (rowProblem(vector, dimensions) !== null)
    throw new Error(`${model} returned a vector whose length is not 1`);
  return vector;
}

const CACHE_BYTES = 2 * 1024 ** 3;

/** A picture or a text to encode, identified by the hash of its content. */
export interface EmbeddingInput {
  kind: 'image' | 'text';
  sha256: string;
}

/** Caches the vectors of one model version by content. Without a version it finds and stores nothing. */
class VectorCache {
  readonly #cache: DerivedFileCache;
  readonly #version: string | null;

  constructor(cacheFolder: string, version: string | null) {
    this.#cache = new DerivedFileCache(join(cacheFolder, 'vectors'), CACHE_BYTES);
    this.#version = version;
  }

  find(content: EmbeddingInput): Row | null {
    if (this.#version === null) return null;
    return this.#cache.read(nameOf(this.#version, content))?.content ?? null;
  }

  keep(content: EmbeddingInput, row: Row): void {
    if (this.#version !== null) this.#cache.write(nameOf(this.#version, content), row);
  }

  /** Evicts the least recently used vectors. */
  trim(): void {
    this.#cache.trim();
  }
}

function nameOf(version: string, { kind, sha256 }: EmbeddingInput): string {
  return hash('sha256', JSON.stringify([version, kind, sha256]));
}
