import { LIMITS, type ManifestAsset, rowProblem } from '@bindery/contract';
import { NO_PROGRESS, type ProgressListener } from '../tree/progress.ts';
import { textHash, textOf } from './asset-content.ts';
import type { EmbeddedImage, Embedder, EmbeddingModel } from './embedder.ts';
import type { EmbeddingReport } from './embedding-report.ts';
import { type AssetVectors, type Row, rowOf } from './sidecar.ts';
import { type Content, VectorCache } from './vector-cache.ts';

const BATCH = 32;
const ROW_BYTES = LIMITS.embedding.dimensions * 4;

export interface EmbeddingOptions {
  cacheFolder: string;
  /** Say what would be encoded and encode nothing. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** A thumbnail, wherever it lies. */
export interface Picture {
  sha256: string;
  read(): Promise<Uint8Array>;
}

/** What the vectors of assets may be made of. */
export interface EmbeddingSources {
  pictureOf(asset: ManifestAsset): Picture | null;
  /** The vectors that the library has of an asset by this model and that still fit. */
  earlier(): Promise<ReadonlyMap<string, AssetVectors>>;
}

/**
 * The vectors of assets: from the cache, from the library, and for what neither has, from the model. A picture that
 * cannot be decoded gives a warning and no vector.
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
  const missing = await findKnown(tasks, rows, cache, sources);
  const warnings = options.dryRun ? new Map<string, string>() : await encode(missing, rows, model, options);

  const distinct = (kind: Content['kind'], of: Iterable<Task>) =>
    new Set([...of].filter((task) => task.kind === kind).map(keyOf)).size;
  const counts = (kind: Content['kind']) => {
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

/** One vector that an asset wants. */
type Task = Content & { asset: string } & (
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
  const [text, sha256] = [textOf(asset), textHash(asset)];
  if (text !== null && sha256 !== null) tasks.push({ asset: asset.id, kind: 'text', sha256, text });
  return tasks;
}

function keyOf({ kind, sha256 }: Content): string {
  return `${kind} ${sha256}`;
}

/**
 * Fills in what is known, and answers what is not, each content once. Rows of the library are of the same model, but
 * nobody knows of which version: they are taken where they fit, and never kept as this one's.
 */
async function findKnown(
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
  const earlier = await sources.earlier();
  const missing = new Map<string, Task>();
  for (const task of unknown) {
    const row = earlier.get(task.asset)?.[task.kind] ?? null;
    if (row?.length === ROW_BYTES) rows.set(keyOf(task), row);
    else missing.set(keyOf(task), task);
  }
  return [...missing].flatMap(([key, task]) => (rows.has(key) ? [] : [task]));
}

/** Encodes a batch at a time, keeping each, so that an interrupted run is not lost. Answers warnings by key. */
async function encode(
  tasks: readonly Task[],
  rows: Map<string, Row>,
  model: EmbeddingModel,
  { cacheFolder, signal, progress = NO_PROGRESS }: EmbeddingOptions,
): Promise<Map<string, string>> {
  const warnings = new Map<string, string>();
  if (tasks.length === 0) return warnings;
  const embedder = await model.open();
  const cache = new VectorCache(cacheFolder, embedder.version);
  cache.trim();
  const work = progress.start('Encoding', { bytes: 0, items: tasks.length, unit: 'images and texts' });
  try {
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
    work.finish();
    return warnings;
  } finally {
    work.stop();
    await embedder.close();
  }
}

/** Pictures first, then texts; no batch has both. */
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
