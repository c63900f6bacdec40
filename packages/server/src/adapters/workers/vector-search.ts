import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BoundedQueue, WorkerPool } from '@bindery/concurrency';
import { LIMITS } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { DERIVED_FILES } from '../../search/derived/derived-vectors.ts';
import type { LoadOutcome } from '../../search/vectors/load.ts';
import {
  type AcquiredVectors,
  BlockPool,
  VectorCache,
  type VectorSource,
} from '../../search/vectors/vector-cache.ts';
import {
  type Nearest,
  type SearchedVectors,
  type VectorCandidate,
  type VectorSearch,
  type VectorUse,
  waves,
} from '../../search/vectors/vector-search.ts';
import { VectorScanners } from './vector-scanners.ts';

const MAX_SCANNERS = 8;

/**
 * The memory is divided into this many parts. Each running search uses at most one, and one stays free, so that there
 * is always room for the next search.
 */
const PARTS_OF_MEMORY = 8;

/** How many libraries are loaded at a time. */
const MAX_LOADERS = 4;

/** How many searches can be queued. */
const MAX_WAITING = 1_000;

const LOAD_TIMEOUT = 10_000;

/**
 * Creates vector search in shared memory, with a scan worker for each processor, at most eight, and a few more workers
 * that load.
 */
export function createVectorSearch(
  { objects, log }: Pick<MaintenanceContext, 'objects' | 'log'>,
  {
    memoryBytes,
    workers = Math.min(MAX_SCANNERS, availableParallelism()),
    loadTimeout = LOAD_TIMEOUT,
  }: VectorSearchOptions,
): VectorSearch & { usage(): VectorMemory } {
  // Many services never search vectors: memory and workers are created on first use.
  let opened: VectorEngine | undefined;
  const searches = new BoundedQueue({ concurrency: PARTS_OF_MEMORY - 1, maxWaiting: MAX_WAITING });

  function open(): VectorEngine {
    const pool = new BlockPool(memoryBytes);
    const { blocks } = pool;
    const scanners = new VectorScanners({ blocks, workers, maxWaiting: PARTS_OF_MEMORY });
    const maxWorkers = Math.min(workers, MAX_LOADERS);
    const loaders = new WorkerPool({ ...LOADING, maxWorkers, workerData: { blocks } });
    const cache = new VectorCache(pool, vectorSource({ objects, log }, loaders));
    return { pool, scanners, loaders, cache };
  }

  /**
   * Searches the vectors that are held. Unreadable ones are dropped, to be loaded again by later searches, and the
   * search is repeated without them.
   */
  async function searchAcquired(
    { scanners }: Pick<VectorEngine, 'scanners'>,
    query: Float32Array,
    wave: readonly NumberedLibrary[],
    held: AcquiredVectors[],
    floor: number,
  ): Promise<VectorCandidate[]> {
    const parts = held.flatMap((one, target) => {
      const filter = wave[target]?.library.filter ?? null;
      return one.use === 'used' ? [{ ...one.vectors, target, filter }] : [];
    });
    const { candidates, unreadable } = await scanners.scan(query, parts, floor);
    if (unreadable.length === 0) return candidates;
    for (const { target, problem } of unreadable) {
      const one = held[target] as AcquiredVectors;
      if (one.use !== 'used') continue;
      log.warn(
        { problem, storeId: wave[target]?.library.storeId },
        'the vectors of a library cannot be read',
      );
      one.invalidate();
      one.release();
      held[target] = { use: 'unavailable' };
    }
    return searchAcquired({ scanners }, query, wave, held, floor);
  }

  async function searchWave(
    engine: VectorEngine,
    query: Float32Array,
    wave: readonly NumberedLibrary[],
    { floor, deadline }: { floor: number; deadline: AbortSignal },
  ): Promise<{ candidates: VectorCandidate[]; uses: VectorUse[] }> {
    const held = await Promise.all(
      wave.map(({ library }) => acquireWithDeadline(engine.cache, library, deadline)),
    );
    try {
      const found = await searchAcquired(engine, query, wave, held, floor);
      const candidates = found.map((one) => ({
        ...one,
        target: (wave[one.target] as NumberedLibrary).target,
      }));
      return { candidates, uses: held.map(({ use }) => use) };
    } catch (error) {
      log.warn({ err: error }, 'vectors could not be searched');
      return { candidates: [], uses: wave.map(() => 'unavailable') };
    } finally {
      for (const one of held) if (one.use === 'used') one.release();
    }
  }

  return {
    prepare(libraries) {
      opened ??= open();
      for (const library of libraries) opened.cache.prepare(library);
    },
    async nearest(query, libraries) {
      opened ??= open();
      const engine = opened;
      const maxBlocks = Math.floor(engine.pool.blocks.length / PARTS_OF_MEMORY);
      const deadline = AbortSignal.timeout(loadTimeout);
      const numbered = libraries.map((library, target) => ({
        library,
        target,
        assetCount: library.assetCount,
      }));
      const outcome: Nearest = { candidates: [], uses: [] };
      for (const wave of waves(numbered, maxBlocks)) {
        // Once the list is full, rows of later libraries have to reach its last cosine.
        const floor = outcome.candidates[LIMITS.embedding.candidates - 1]?.cosine ?? Number.NEGATIVE_INFINITY;
        const { candidates, uses } = await searches
          .run(() => searchWave(engine, query, wave, { floor, deadline }))
          .catch(() => ({ candidates: [], uses: wave.map((): VectorUse => 'unavailable') }));
        outcome.uses.push(...uses);
        outcome.candidates = best([...outcome.candidates, ...candidates]);
      }
      return outcome;
    },
    usage: () => ({ bytes: opened?.pool.byteLength ?? 0, blocks: opened?.pool.lentBlocks ?? 0 }),
    close: async () => {
      searches.close();
      await Promise.all([opened?.scanners.close(), opened?.loaders.close()]);
      await opened?.cache.close();
    },
  };
}

export interface VectorSearchOptions {
  /** Maximum bytes of memory for codes of vectors, which stay cached until others need the space. */
  memoryBytes: number;
  workers?: number;
  /** How long a search waits for vectors to be loaded (milliseconds); vectors loaded later serve the next search. */
  loadTimeout?: number | undefined;
}

/** Memory allocated so far, and blocks of it in use. */
export interface VectorMemory {
  bytes: number;
  blocks: number;
}

const LOADING = {
  entry: new URL('./vector-load-worker.ts', import.meta.url),
  heapMegabytes: 512,
  timeout: 60_000,
  maxWaiting: 512,
  idleTimeout: 5_000,
};

/** The memory of vectors, and the workers that use it. */
interface VectorEngine {
  pool: BlockPool;
  scanners: VectorScanners;
  loaders: WorkerPool;
  cache: VectorCache;
}

interface NumberedLibrary {
  library: SearchedVectors;
  target: number;
  assetCount: number;
}

function vectorSource(
  { objects, log }: Pick<MaintenanceContext, 'objects' | 'log'>,
  loaders: WorkerPool,
): VectorSource {
  return {
    async open({ storeId, indexSha256, documentSha256, matrixSha256, codesSha256, folder, assetCount }) {
      const file = (sha256: string) => objects.localFile({ storeId, sha256 });
      const [indexFile, documentFile, codes, matrixFile] = await Promise.all([
        file(indexSha256),
        folder === undefined ? file(documentSha256) : join(folder, DERIVED_FILES.document),
        codesSha256 === null
          ? null
          : file(codesSha256).then((found) => ({ sha256: codesSha256, file: found })),
        folder === undefined ? file(matrixSha256) : join(folder, DERIVED_FILES.matrix),
      ]);
      const matrix = await open(matrixFile, 'r');
      return { job: { indexFile, documentFile, codes, assetCount, matrix: matrix.fd }, matrix };
    },
    async load(job) {
      const outcome = await loaders.run<LoadOutcome>(job);
      if (outcome.ok && outcome.codesProblem !== null) {
        const { codesProblem: problem } = outcome;
        log.warn({ problem, file: job.codes?.file }, 'the stored codes of vectors are not used');
      }
      return outcome;
    },
    warn: ({ storeId }, error) => log.warn({ err: error, storeId }, 'the vectors of a library are not used'),
  };
}

/** Holds the vectors of a library, unless the deadline passes first. The load then continues for later searches. */
async function acquireWithDeadline(
  cache: VectorCache,
  library: SearchedVectors,
  deadline: AbortSignal,
): Promise<AcquiredVectors> {
  if (deadline.aborted) return { use: 'unavailable' };
  const held = cache.acquire(library);
  let give: (late: AcquiredVectors) => void = () => {};
  const late = new Promise<AcquiredVectors>((resolve) => {
    give = resolve;
  });
  const onTime = () => give({ use: 'unavailable' });
  deadline.addEventListener('abort', onTime);
  const first = await Promise.race([held, late]);
  deadline.removeEventListener('abort', onTime);
  if (first.use === 'unavailable') {
    held.then((one) => one.use === 'used' && one.release()).catch(() => undefined);
  }
  return first;
}

function best(candidates: VectorCandidate[]): VectorCandidate[] {
  return candidates
    .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.document - b.document)
    .slice(0, LIMITS.embedding.candidates);
}
