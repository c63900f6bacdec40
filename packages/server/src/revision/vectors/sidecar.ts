import {
  LEGACY_VECTORS_INDEX_PATH,
  LEGACY_VECTORS_MATRIX_PATH,
  type ManifestLayout,
  rowProblem,
  type SidecarDocument,
  type UsableSidecar,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  validateSidecar,
} from '@bindery/contract';
import type { LocalFiles, OpenFile } from '../local-files.ts';
import { RevisionIndex } from '../revision-index.ts';
import { type Block, DIMENSIONS, type OwnedRow } from './block.ts';
import { codeBlocks } from './codes-file.ts';

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

/** Reads the searched vectors of some assets; null for those without. Blocks the calling thread. */
export function readVectors(
  files: LocalFiles,
  { matrixFile, assets, ...stored }: SidecarFiles & { matrixFile: string; assets: readonly number[] },
): (Float32Array | null)[] {
  using matrix = files.open(matrixFile);
  const sidecar = openSidecar(files, stored, matrix);
  if (!sidecar.ok || sidecar.dim !== DIMENSIONS) return assets.map(() => null);
  const rows = new Map(sidecar.searched.map(({ asset, row }) => [asset, row]));
  return assets.map((asset) => {
    const row = rows.get(asset);
    if (row === undefined) return null;
    const vector = new Float32Array(DIMENSIONS);
    matrix.fill(vector, row * vector.byteLength);
    return vector;
  });
}

export type CodedSidecar = { ok: true; rows: number } | { ok: false; reason: string };

/** Validates a sidecar as a register does, and codes its searched rows into blocks. Blocks the calling thread. */
export function codeSidecar(
  files: LocalFiles,
  stored: SidecarFiles,
  matrix: OpenFile,
  blockAt: (number: number) => Block,
): CodedSidecar {
  const sidecar = openSidecar(files, stored, matrix);
  if (!sidecar.ok) return sidecar;
  if (sidecar.dim !== DIMENSIONS) return { ok: false, reason: `it has ${sidecar.dim} dimensions` };
  const problem = matrixProblem(matrix, sidecar);
  if (problem !== null) return { ok: false, reason: problem };
  let rows = 0;
  for (const { count } of codeBlocks(matrix, sidecar.searched, blockAt)) rows += count;
  return { ok: true, rows };
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

/**
 * Returns the rows that are searched, in the order of their assets: those of images or, if no asset has an image, those
 * of texts (specification, "Search and ranking rules"). Returns a problem if the sidecar names an asset that does not
 * exist.
 */
function searchedRows(
  items: SidecarDocument['items'],
  index: Pick<RevisionIndex, 'indexOfAsset'>,
): { ok: true; rows: OwnedRow[] } | { ok: false; problem: string } {
  const side = items.some(({ image }) => typeof image === 'number') ? 'image' : 'text';
  const rows: OwnedRow[] = [];
  for (const item of items) {
    const asset = index.indexOfAsset(item.id);
    if (asset < 0) return { ok: false, problem: `vectors.json: there is no asset "${item.id}"` };
    const row = item[side];
    if (typeof row === 'number') rows.push({ asset, row });
  }
  return { ok: true, rows: rows.sort((a, b) => a.asset - b.asset) };
}

const ROWS_AT_ONCE = 1_024;

/**
 * Reads a matrix of 32-bit floats in batches of whole rows, into one buffer: each batch is valid only until the next.
 */
export function* matrixRows(
  file: OpenFile,
  { rows, dim }: { rows: number; dim: number },
): Generator<{ first: number; count: number; numbers: Float32Array }> {
  const memory = new Float32Array(Math.min(ROWS_AT_ONCE, rows) * dim);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first);
    const numbers = memory.subarray(0, count * dim);
    file.fill(numbers, first * dim * memory.BYTES_PER_ELEMENT);
    yield { first, count, numbers };
  }
}

/** The paths of the sidecar in libraries of either layout. */
export const SIDECAR_PATHS: Readonly<Record<ManifestLayout, { document: string; matrix: string }>> = {
  current: { document: VECTORS_INDEX_PATH, matrix: VECTORS_MATRIX_PATH },
  legacy: { document: LEGACY_VECTORS_INDEX_PATH, matrix: LEGACY_VECTORS_MATRIX_PATH },
};

/** The files of the vectors that a revision comes with. */
export interface SidecarHashes {
  documentSha256: string;
  matrixSha256: string;
}

/** Returns null for a revision that comes without. */
export function sidecarHashes(index: RevisionIndex, layout: ManifestLayout): SidecarHashes | null {
  const paths = SIDECAR_PATHS[layout];
  const document = index.findFile(paths.document);
  const matrix = index.findFile(paths.matrix);
  return document && matrix && { documentSha256: document.sha256, matrixSha256: matrix.sha256 };
}
