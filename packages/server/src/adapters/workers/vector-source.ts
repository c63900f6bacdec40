import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerPool, type WorkerPoolOptions } from '@bindery/concurrency';
import type { MaintenanceContext } from '../../context.ts';
import { unlessMissing } from '../../objects/missing.ts';
import type { ObjectStore } from '../../objects/store.ts';
import type { SidecarFiles } from '../../revision/vectors/sidecar.ts';
import { DERIVED_FILES } from '../../search/derived/derived-vectors.ts';
import type { LoadOutcome } from '../../search/vectors/load.ts';
import type { StoredVectors } from '../../search/vectors/units.ts';
import type { VectorSource } from '../../search/vectors/vector-cache.ts';
import type { RevisionVectors } from '../../search/vectors/vector-search.ts';

const LOADING = {
  entry: new URL('./vector-load-worker.ts', import.meta.url),
  heapMegabytes: 512,
  timeout: 60_000,
  maxWaiting: 512,
  idleTimeout: 5_000,
};

export function createLoaders(options: Pick<WorkerPoolOptions, 'maxWorkers' | 'workerData'>): WorkerPool {
  return new WorkerPool({ ...LOADING, ...options });
}

/** Names vectors in the log. */
export function nameOf(vectors: StoredVectors): { storeId: string } | { file: string } {
  return 'codes' in vectors ? { file: vectors.matrixFile } : { storeId: vectors.storeId };
}

/** Vectors in files, loaded by workers. */
export function vectorSource(
  { objects, log }: Pick<MaintenanceContext, 'objects' | 'log'>,
  loaders: WorkerPool,
): VectorSource {
  return {
    async open(vectors) {
      const { assetCount } = vectors;
      if ('codes' in vectors) {
        const matrix = await unlessMissing(open(vectors.matrixFile, 'r'));
        const { codes } = vectors;
        return matrix && { job: { sidecar: null, codes, assetCount, matrix: matrix.fd }, matrix };
      }
      const { storeId, codesSha256: sha256 } = vectors;
      const [{ matrixFile, ...sidecar }, codes] = await Promise.all([
        vectorFiles(objects, vectors),
        sha256 && objects.localFile({ storeId, sha256 }).then((file) => ({ sha256, file })),
      ]);
      const matrix = await open(matrixFile, 'r');
      return { job: { sidecar, codes: codes || null, assetCount, matrix: matrix.fd }, matrix };
    },
    async load(job) {
      const outcome = await loaders.run<LoadOutcome>(job);
      if (outcome.ok && outcome.codesProblem !== null) {
        const { codesProblem: problem } = outcome;
        log.warn({ problem, file: job.codes?.file }, 'the stored codes of vectors are not used');
      }
      return outcome;
    },
    warn: (vectors, error) => log.warn({ err: error, ...nameOf(vectors) }, 'vectors are not used'),
  };
}

/** Returns the local files of the vectors of a revision. */
export async function vectorFiles(
  objects: Pick<ObjectStore, 'localFile'>,
  { storeId, indexSha256, documentSha256, matrixSha256, folder }: RevisionVectors,
): Promise<SidecarFiles & { matrixFile: string }> {
  const file = (sha256: string) => objects.localFile({ storeId, sha256 });
  const [indexFile, documentFile, matrixFile] = await Promise.all([
    file(indexSha256),
    folder === undefined ? file(documentSha256) : join(folder, DERIVED_FILES.document),
    folder === undefined ? file(matrixSha256) : join(folder, DERIVED_FILES.matrix),
  ]);
  return { indexFile, documentFile, matrixFile };
}
