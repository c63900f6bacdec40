import { rowProblem, type UsableSidecar, validateSidecar } from '@bindery/contract';
import type { LocalFiles, OpenFile } from '../local-files.ts';
import { RevisionIndex } from '../revision-index.ts';
import { matrixRows } from './matrix-rows.ts';
import { type OwnedRow, searchedRows } from './searched-rows.ts';

/** `vectors.json` of the largest library is far smaller. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Local paths of `vectors.json` and of the index of the revision that has the sidecar. */
export interface SidecarFiles {
  documentFile: string;
  indexFile: string;
}

/** A sidecar that matches its revision; its matrix has not been read yet. */
export interface StoredSidecar extends UsableSidecar {
  searched: OwnedRow[];
  assetCount: number;
}

/** Opens a stored sidecar whose matrix is already open. Blocks the calling thread. */
export function openSidecar(
  files: LocalFiles,
  { documentFile, indexFile }: SidecarFiles,
  matrix: OpenFile,
): StoredSidecar | { ok: false; reason: string } {
  if (sizeOf(files, documentFile) > MAX_DOCUMENT_BYTES) {
    return { ok: false, reason: `vectors.json is larger than ${MAX_DOCUMENT_BYTES} bytes` };
  }
  const verdict = validateSidecar(files.read(documentFile), matrix.size);
  if (!verdict.ok) return verdict;
  const index = RevisionIndex.open(files.read(indexFile));
  const owned = searchedRows(verdict.items, index);
  if (!owned.ok) return { ok: false, reason: owned.problem };
  return { ...verdict, searched: owned.rows, assetCount: index.assetCount };
}

/** Reads the whole matrix and returns why its rows cannot be compared, or null. Blocks the calling thread. */
export function matrixProblem(matrix: OpenFile, { rows, dim }: UsableSidecar): string | null {
  for (const { first, numbers } of matrixRows(matrix, { rows, dim })) {
    const problem = rowProblem(numbers, dim, first);
    if (problem !== null) return problem;
  }
  return null;
}

function sizeOf(files: LocalFiles, path: string): number {
  using file = files.open(path);
  return file.size;
}
