import { validateSidecar } from '@bindery/contract/manifest';
import { compareUtf8, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH, VECTORS_SCHEMA } from '@bindery/contract/wire';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';

/** A row of the matrix as stored: little-endian 32-bit floats. */
export type Row = Uint8Array;

/** The vectors of one asset. */
export interface AssetVectors {
  image: Row | null;
  text: Row | null;
}

/** The vectors of a library by asset id. `model` is null in sidecars of earlier clients. */
export interface Sidecar {
  model: string | null;
  dim: number;
  vectors: Map<string, AssetVectors>;
}

/** Reads both files of a sidecar; a string says why it cannot be used. The rows are views of `matrix`. */
export function readSidecar(document: Uint8Array, matrix: Uint8Array): Sidecar | string {
  const verdict = validateSidecar(document, matrix.byteLength);
  if (!verdict.ok) return verdict.reason;
  const { model, dim, items } = verdict;
  const rowAt = (index: number | null | undefined): Row | null =>
    typeof index === 'number' ? matrix.subarray(index * dim * 4, (index + 1) * dim * 4) : null;
  const vectors = new Map(
    items.map(({ id, image, text }) => [id, { image: rowAt(image), text: rowAt(text) }]),
  );
  return { model, dim, vectors };
}

/** Returns both files of a sidecar to send, or none if there is no vector. Equal vectors give equal bytes. */
export function writeSidecar({ model, dim, vectors }: Sidecar): UploadSource[] {
  const rows: Row[] = [];
  const place = (row: Row | null) => (row === null ? null : rows.push(row) - 1);
  const items = [...vectors]
    .filter(([, { image, text }]) => image !== null || text !== null)
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([id, { image, text }]) => ({ id, image: place(image), text: place(text) }));
  if (items.length === 0) return [];
  const document = { schema: VECTORS_SCHEMA, ...(model === null ? {} : { model }), dim, items };
  return [
    bytesSource(VECTORS_INDEX_PATH, new TextEncoder().encode(JSON.stringify(document))),
    bytesSource(VECTORS_MATRIX_PATH, joined(rows, dim)),
  ];
}

function joined(rows: readonly Row[], dim: number): Uint8Array {
  const matrix = new Uint8Array(rows.length * dim * 4);
  for (const [at, row] of rows.entries()) matrix.set(row, at * dim * 4);
  return matrix;
}

/** Encodes a vector as a row. */
export function rowOf(vector: Float32Array): Row {
  const row = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) row.setFloat32(at * 4, value, true);
  return new Uint8Array(row.buffer);
}
