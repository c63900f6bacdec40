import { fstatSync, readFileSync } from 'node:fs';
import { judgeSidecar, rowProblem, type UsableSidecar } from '@bindery/contract';
import { matrixRows } from './matrix-rows.ts';
import { RevisionIndex } from './revision-index.ts';
import { type OwnedRow, searchedRows } from './sidecar-rows.ts';

export interface SidecarFiles {
  /** Files on this machine: `vectors.json`, and the index of the revision that has the sidecar. */
  documentFile: string;
  indexFile: string;
  /** The open file of `vectors.f32`. */
  matrix: number;
}

/** A sidecar that fits its revision; the numbers of its matrix are not read yet. */
export interface StoredSidecar extends UsableSidecar {
  searched: OwnedRow[];
  assetCount: number;
}

/** Opens a sidecar as it is stored. Holds its thread. */
export function openSidecar({
  documentFile,
  indexFile,
  matrix,
}: SidecarFiles): StoredSidecar | { ok: false; reason: string } {
  const verdict = judgeSidecar(readFileSync(documentFile), fstatSync(matrix).size);
  if (!verdict.ok) return verdict;
  const index = RevisionIndex.open(readFileSync(indexFile));
  const owned = searchedRows(verdict.items, index);
  if (!owned.ok) return { ok: false, reason: owned.problem };
  return { ...verdict, searched: owned.rows, assetCount: index.assetCount };
}

/** Reads the whole matrix: why its rows cannot be compared, or null. Holds its thread. */
export function matrixProblem(matrix: number, { rows, dim }: UsableSidecar): string | null {
  for (const { first, numbers } of matrixRows(matrix, { rows, dim })) {
    const problem = rowProblem(numbers, dim, first);
    if (problem !== null) return problem;
  }
  return null;
}
