import { availableParallelism } from 'node:os';
import { BoundedQueue, type WorkerPool } from '@bindery/concurrency';
import { LIMITS } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { type StoredVectors, storedVectors, type Unit, unitsOf, waves } from '../../search/vectors/units.ts';
import { type AcquiredVectors, BlockPool, VectorCache } from '../../search/vectors/vector-cache.ts';
import type {
  Nearest,
  VectorCandidate,
  VectorSearch,
  VectorUse,
} from '../../search/vectors/vector-search.ts';
import { VectorScanners } from './vector-scanners.ts';
import { createLoaders, nameOf, vectorSource } from './vector-source.ts';

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
    const loaders = createLoaders({ maxWorkers, workerData: { blocks } });
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
    wave: readonly Unit[],
    held: AcquiredVectors[],
    floor: number,
  ): Promise<VectorCandidate[]> {
    const parts = held.flatMap((one, number) => {
      const { owners, filter } = wave[number] as Unit;
      return one.use === 'used' ? [{ ...one.vectors, number, owners, filter }] : [];
    });
    const { candidates, unreadable } = await scanners.scan(query, parts, floor);
    if (unreadable.length === 0) return candidates;
    for (const { part, problem } of unreadable) {
      const one = held[part] as AcquiredVectors;
      if (one.use !== 'used') continue;
      log.warn({ problem, ...nameOf((wave[part] as Unit).vectors) }, 'vectors cannot be read');
      one.invalidate();
      one.release();
      held[part] = { use: 'unavailable' };
    }
    return searchAcquired({ scanners }, query, wave, held, floor);
  }

  async function searchWave(
    engine: VectorEngine,
    query: Float32Array,
    wave: readonly Unit[],
    { floor, deadline }: { floor: number; deadline: AbortSignal },
  ): Promise<{ candidates: VectorCandidate[]; uses: VectorUse[] }> {
    const held = await Promise.all(
      wave.map(({ vectors }) => acquireWithDeadline(engine.cache, vectors, deadline)),
    );
    try {
      const candidates = await searchAcquired(engine, query, wave, held, floor);
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
      for (const vectors of new Set(libraries.map(storedVectors))) opened.cache.prepare(vectors);
    },
    async nearest(query, libraries) {
      opened ??= open();
      const engine = opened;
      const maxBlocks = Math.floor(engine.pool.blocks.length / PARTS_OF_MEMORY);
      const deadline = AbortSignal.timeout(loadTimeout);
      const outcome: Nearest = { candidates: [], uses: libraries.map(() => 'unavailable') };
      const search = async (units: readonly Unit[]) => {
        for (const wave of waves(units, maxBlocks)) {
          // Once the list is full, rows of later libraries have to reach its last cosine.
          const floor =
            outcome.candidates[LIMITS.embedding.candidates - 1]?.cosine ?? Number.NEGATIVE_INFINITY;
          const { candidates, uses } = await searches
            .run(() => searchWave(engine, query, wave, { floor, deadline }))
            .catch(() => ({ candidates: [], uses: wave.map((): VectorUse => 'unavailable') }));
          for (const [at, { vectors, owners }] of wave.entries()) {
            const use = uses[at] as VectorUse;
            if ('codes' in vectors && use === 'damaged') vectors.isDamaged = true;
            for (const target of owners.targets) outcome.uses[target] = use;
          }
          outcome.candidates = best([...outcome.candidates, ...candidates]);
        }
      };
      const units = unitsOf(libraries, libraries.keys());
      await search(units);
      const damaged = units.filter(({ vectors }) => 'codes' in vectors && vectors.isDamaged);
      await search(
        unitsOf(
          libraries,
          damaged.flatMap(({ owners }) => [...owners.targets]),
        ),
      );
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

/** The memory of vectors, and the workers that use it. */
interface VectorEngine {
  pool: BlockPool;
  scanners: VectorScanners;
  loaders: WorkerPool;
  cache: VectorCache;
}

/** Holds vectors, unless the deadline passes first. The load then continues for later searches. */
async function acquireWithDeadline(
  cache: VectorCache,
  vectors: StoredVectors,
  deadline: AbortSignal,
): Promise<AcquiredVectors> {
  if (deadline.aborted) return { use: 'unavailable' };
  const held = cache.acquire(vectors);
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
