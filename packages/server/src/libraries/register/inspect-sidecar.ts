import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { judgeSidecar, rowProblem } from '@bindery/contract';
import { matrixRows } from '../revision/matrix-rows.ts';
import { RevisionIndex } from '../revision/revision-index.ts';
import { searchedRows } from '../revision/sidecar-rows.ts';
import type { SidecarFindings, SidecarJob } from './revision-builder.ts';

/** `vectors.json` of the largest library has far less. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Reads a sidecar and says whether it can be used. Runs on a thread. */
export function inspectSidecar({
  documentFile,
  matrixFile,
  indexFile,
  rowsChecked,
}: SidecarJob): SidecarFindings {
  if (statSync(documentFile).size > MAX_DOCUMENT_BYTES) {
    return problem(`vectors.json is larger than ${MAX_DOCUMENT_BYTES} bytes`);
  }
  const matrix = openSync(matrixFile, 'r');
  try {
    const verdict = judgeSidecar(readFileSync(documentFile), fstatSync(matrix).size);
    if (!verdict.ok) return problem(verdict.reason);
    const owned = searchedRows(verdict.items, RevisionIndex.open(readFileSync(indexFile)));
    if (!owned.ok) return problem(owned.problem);
    if (!rowsChecked) {
      for (const { first, numbers } of matrixRows(matrix, verdict)) {
        const found = rowProblem(numbers, verdict.dim, first);
        if (found !== null) return problem(found);
      }
    }
    return { dim: verdict.dim, model: verdict.model, problem: null };
  } finally {
    closeSync(matrix);
  }
}

function problem(text: string): SidecarFindings {
  return { dim: null, model: null, problem: text };
}
