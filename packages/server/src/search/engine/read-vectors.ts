import { join } from 'node:path';
import type { SearchContext } from '../../context.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { sidecarHashes } from '../../revision/vectors/sidecar.ts';
import { targetByMeaning } from '../by-vector.ts';
import { DERIVED_FILES } from '../derived/derived-vectors.ts';
import type { Target } from '../targets.ts';
import type { ReadVectors } from './make-documents.ts';

type VectorContext = Pick<SearchContext, 'encoder' | 'derivedVectors' | 'objects' | 'revisionWorkers'>;

/** The vectors of a revision, as a search here would use them. */
export interface RevisionVectors {
  model: string;
  /** Vectors of assets that say the same are the same in revisions with this version. */
  version: string;
  read: ReadVectors;
}

/** Returns null if the revision has none that can be searched, neither of its own nor made here. */
export function vectorsOf(
  context: VectorContext,
  row: Target['row'],
  index: RelevanceIndex,
): RevisionVectors | null {
  const sidecar = sidecarHashes(index, row.manifest_layout);
  const { library, vectors } = targetByMeaning(context, row, {
    ...{ sidecar, assetCount: index.assetCount },
    joined: null,
  });
  if (library.vectors_model === null || vectors === null) return null;
  const { storeId, indexSha256, documentSha256, matrixSha256, folder } = vectors;
  const file = (sha256: string) => context.objects.localFile({ storeId, sha256 });
  return {
    model: library.vectors_model,
    version: matrixSha256,
    read: async (assets) =>
      context.revisionWorkers.readVectors({
        indexFile: await file(indexSha256),
        documentFile: folder ? join(folder, DERIVED_FILES.document) : await file(documentSha256),
        matrixFile: folder ? join(folder, DERIVED_FILES.matrix) : await file(matrixSha256),
        assets,
      }),
  };
}
