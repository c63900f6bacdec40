import type { LibraryRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import type { BuiltRevision, Sidecar } from './revision-workers.ts';

/** What a library's row records about its vectors. */
export interface RevisionVectors {
  dim: number | null;
  model: string | null;
  /** The object that holds their codes. */
  codesSha256: string | null;
}

const NO_VECTORS: RevisionVectors = { dim: null, model: null, codesSha256: null };

interface SidecarOwner {
  storeId: string;
  indexSha256: string;
  library: LibraryRow | null;
  /** Paths of artifacts that the store has lost. */
  lost: readonly string[];
}

/**
 * Inspects the sidecar of a revision whose index is stored, and stores the codes for searching it. An unusable
 * sidecar counts as none, with a warning that says why; it never fails a register.
 */
export async function readSidecar(
  { objects, revisionWorkers }: MaintenanceContext,
  { storeId, indexSha256, library, lost }: SidecarOwner,
  sidecar: BuiltRevision['sidecar'],
): Promise<{ vectors: RevisionVectors; warnings: string[] }> {
  if (sidecar === null) return { vectors: NO_VECTORS, warnings: [] };
  if ('half' in sidecar) {
    return { vectors: NO_VECTORS, warnings: [warning(`${sidecar.half} is there without its other half`)] };
  }
  const missing = [sidecar.document, sidecar.matrix].find(({ path }) => lost.includes(path));
  if (missing) return { vectors: NO_VECTORS, warnings: [warning(`${missing.path} is no longer stored`)] };
  const file = (sha256: string) => objects.localFile({ storeId, sha256 });
  const known = knownCodes(sidecar, library);
  await using draft = await objects.createDraft(storeId);
  const { dim, model, problem, codes } = await revisionWorkers.inspectSidecar({
    documentFile: await file(sidecar.document.sha256),
    matrixFile: await file(sidecar.matrix.sha256),
    indexFile: await file(indexSha256),
    rowsChecked: sidecar.unchanged && (library?.vectors_dim ?? null) !== null,
    knownCodes: known === null ? null : { sha256: known, file: await file(known) },
    codesFile: draft.file,
  });
  if (problem !== null) return { vectors: NO_VECTORS, warnings: [warning(problem)] };
  if (codes?.written) await draft.commit(codes.sha256);
  return { vectors: { dim, model, codesSha256: codes?.sha256 ?? null }, warnings: [] };
}

function knownCodes({ unchanged, sameAssets }: Sidecar, library: LibraryRow | null): string | null {
  return unchanged && sameAssets ? (library?.codes_sha256 ?? null) : null;
}

function warning(problem: string): string {
  return `The embeddings cannot be used: ${problem}.`;
}
