import { createHash, hash } from 'node:crypto';
import { rowProblem } from '@bindery/contract';
import type { LocalFiles, OpenFile } from '../local-files.ts';
import { DIMENSIONS, type OwnedRow } from './block.ts';
import { writeCodes } from './codes-file.ts';
import { matrixRows, openSidecar, type SidecarFiles, type SidecarHashes } from './sidecar.ts';

/** The vectors of one of the revisions that are joined. */
export interface JoinedSidecar extends SidecarFiles {
  matrixFile: string;
  /** What the files must have; null for files that this server made itself. */
  hashes: SidecarHashes | null;
  /** The number that its first asset has among all. */
  first: number;
}

export interface JoinedSidecars {
  codesSha256: string;
  /** Of each sidecar, why it was left out; null if it was joined. */
  problems: (string | null)[];
}

/**
 * Writes the searched rows of sidecars as one matrix, each the same to the last bit, and its codes. A sidecar that is
 * lost, damaged or invalid is left out. Blocks the calling thread.
 */
export function joinSidecars(
  files: LocalFiles,
  sidecars: readonly JoinedSidecar[],
  { matrixFile, codesFile }: { matrixFile: string; codesFile: string },
): JoinedSidecars {
  const searched: OwnedRow[] = [];
  const problems: (string | null)[] = [];
  let rows = 0;
  {
    using joined = files.create(matrixFile);
    const append = (row: Float32Array) => {
      joined.append(bytesOf(row));
      return rows++;
    };
    for (const sidecar of sidecars) {
      try {
        searched.push(...copyRows(files, sidecar, append));
        problems.push(null);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
  }
  using matrix = files.open(matrixFile);
  return { codesSha256: writeCodes(files, codesFile, { matrix, rows, searched }), problems };
}

/** Returns where the rows of a sidecar were appended. Throws if it cannot be used. */
function copyRows(
  files: LocalFiles,
  sidecar: JoinedSidecar,
  append: (row: Float32Array) => number,
): OwnedRow[] {
  using matrix = files.open(sidecar.matrixFile);
  const numbers = new Float32Array(DIMENSIONS);
  return checkedRows(files, sidecar, matrix).map(({ asset, row }) => {
    matrix.fill(numbers, row * numbers.byteLength);
    return { asset: sidecar.first + asset, row: append(numbers) };
  });
}

function checkedRows(
  files: LocalFiles,
  { hashes, ...sidecar }: JoinedSidecar,
  matrix: OpenFile,
): readonly OwnedRow[] {
  const stored = openSidecar(files, sidecar, matrix);
  if (!stored.ok) throw new Error(stored.reason);
  const sha256 = createHash('sha256');
  for (const { first, numbers } of matrixRows(matrix, stored)) {
    const problem = rowProblem(numbers, stored.dim, first);
    if (problem !== null) throw new Error(problem);
    sha256.update(bytesOf(numbers));
  }
  if (stored.dim !== DIMENSIONS) throw new Error(`it has ${stored.dim} dimensions`);
  if (hashes === null) return stored.searched;
  const isIntact =
    sha256.digest('hex') === hashes.matrixSha256 &&
    hash('sha256', files.read(sidecar.documentFile)) === hashes.documentSha256;
  if (!isIntact) throw new Error('its files are damaged');
  return stored.searched;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
