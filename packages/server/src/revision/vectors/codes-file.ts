import { createHash } from 'node:crypto';
import type { LocalFiles, OpenFile } from '../local-files.ts';
import { BLOCK_BYTES, BLOCK_ROWS, Block, DIMENSIONS, type OwnedRow, storedBytes } from './block.ts';
import { RowCoder, unitFor } from './codes.ts';

/*
 * A codes file contains the blocks as they are searched, one after another; if the last one is not full, each of its
 * columns is cut to its rows. The file ends with the magic, the number of rows and the number of rows of the matrix
 * (32-bit each, little-endian).
 */
const MAGIC = Buffer.from('bndvec2\n', 'latin1');
const ROWS_AT = MAGIC.length;
const MATRIX_ROWS_AT = ROWS_AT + 4;
const END_BYTES = MATRIX_ROWS_AT + 4;

/** A stored object with codes, as a local file. */
export interface CodesFile {
  file: string;
  sha256: string;
}

interface CodedMatrix {
  /** Every row of it can be compared. */
  matrix: OpenFile;
  rows: number;
  /** The rows that are searched, in the order of their assets. */
  searched: readonly OwnedRow[];
}

/** Codes a matrix into a file, one block at a time; returns the SHA-256 of the file. Blocks the calling thread. */
export function writeCodes(files: LocalFiles, file: string, { matrix, rows, searched }: CodedMatrix): string {
  const hash = createHash('sha256');
  const memory = new Block(new ArrayBuffer(BLOCK_BYTES));
  using output = files.create(file);
  const append = (bytes: Uint8Array) => {
    hash.update(bytes);
    output.append(bytes);
  };
  for (const { block, count } of codeBlocks(matrix, searched, () => memory)) {
    for (const bytes of block.bytesOf(count)) append(bytes);
  }
  append(encodeEnd({ rows: searched.length, matrixRows: rows }));
  return hash.digest('hex');
}

/** What a codes file must match. */
interface CodesOwner {
  /** The size of the matrix in bytes. */
  matrixBytes: number;
  /** The number of assets in the revision. */
  assetCount: number;
}

type CodesRead = { ok: true; rows: number } | { ok: false; problem: string };

/**
 * Reads codes into blocks and verifies every byte of them. The contents of the blocks must not be used unless it
 * returns `ok`. Blocks the calling thread.
 */
export function readCodes(
  files: LocalFiles,
  codes: CodesFile,
  owner: CodesOwner,
  blockAt: (number: number) => Block,
): CodesRead {
  try {
    using input = files.open(codes.file);
    return { ok: true, ...readOpened(input, codes.sha256, owner, blockAt) };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function readOpened(
  input: OpenFile,
  sha256: string,
  owner: CodesOwner,
  blockAt: (number: number) => Block,
): Pick<End, 'rows'> {
  const { bytes: endBytes, end } = readEnd(input, owner);
  const hash = createHash('sha256');
  let position = 0;
  const owned = new Uint8Array(owner.assetCount);
  for (let first = 0; first < end.rows; first += BLOCK_ROWS) {
    const block = blockAt(first / BLOCK_ROWS);
    const count = Math.min(BLOCK_ROWS, end.rows - first);
    for (const bytes of block.bytesOf(count)) {
      input.fill(bytes, position);
      hash.update(bytes);
      position += bytes.length;
    }
    checkOwners(block, count, end.matrixRows, owned);
  }
  if (hash.update(endBytes).digest('hex') !== sha256) throw new Error('The codes are damaged.');
  return { rows: end.rows };
}

/** Until the hash has been checked, only the row counts of the end are used. */
function readEnd(input: OpenFile, { matrixBytes, assetCount }: CodesOwner): { bytes: Buffer; end: End } {
  const { size } = input;
  const bytes = Buffer.alloc(END_BYTES);
  input.fill(bytes, Math.max(0, size - END_BYTES));
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('The codes have a different format.');
  const end = decodeEnd(bytes);
  if (
    size !== storedBytes(end.rows) + END_BYTES ||
    matrixBytes !== end.matrixRows * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT ||
    end.rows > assetCount
  ) {
    throw new Error('The codes do not match the size of the vectors.');
  }
  return { bytes, end };
}

/** Throws unless every row is in the matrix and every asset exists and occurs once; marks these assets in `owned`. */
function checkOwners({ rows, assets }: Block, count: number, matrixRows: number, owned: Uint8Array): void {
  for (let at = 0; at < count; at++) {
    const asset = assets[at] as number;
    if (asset >= owned.length) throw new Error('There are codes of assets that do not exist.');
    if (owned[asset] === 1) throw new Error('An asset has its codes twice.');
    if ((rows[at] as number) >= matrixRows) throw new Error('There are codes of rows that do not exist.');
    owned[asset] = 1;
  }
}

interface End {
  rows: number;
  matrixRows: number;
}

function encodeEnd({ rows, matrixRows }: End): Buffer {
  const end = Buffer.alloc(END_BYTES);
  MAGIC.copy(end);
  end.writeUInt32LE(rows, ROWS_AT);
  end.writeUInt32LE(matrixRows, MATRIX_ROWS_AT);
  return end;
}

function decodeEnd(end: Buffer): End {
  return {
    rows: end.readUInt32LE(ROWS_AT),
    matrixRows: end.readUInt32LE(MATRIX_ROWS_AT),
  };
}

interface ReachingRow extends OwnedRow {
  /** The magnitude of the largest component of the rotated row. */
  reach: number;
}

/**
 * Codes rows of a matrix into blocks, one block at a time. Rows of similar reach share a block, so that they lose
 * little precision to its common unit. Blocks the calling thread.
 *
 * @param matrix 32-bit floats, every row of which can be compared
 */
export function* codeBlocks(
  matrix: OpenFile,
  searched: readonly OwnedRow[],
  blockAt: (number: number) => Block,
): Generator<{ block: Block; count: number }> {
  const coder = new RowCoder();
  const numbers = new Float32Array(DIMENSIONS);
  const take = (row: number) => {
    matrix.fill(numbers, row * numbers.byteLength);
    return coder.take(numbers);
  };
  const byReach = searched
    .map(({ asset, row }): ReachingRow => ({ asset, row, reach: take(row) }))
    .sort((a, b) => a.reach - b.reach || a.asset - b.asset);
  for (let first = 0; first < byReach.length; first += BLOCK_ROWS) {
    const rows = byReach.slice(first, first + BLOCK_ROWS);
    const block = blockAt(first / BLOCK_ROWS);
    const unit = unitFor((rows.at(-1) as ReachingRow).reach);
    let error = 0;
    for (const [at, { asset, row }] of rows.entries()) {
      take(row);
      error = Math.max(error, coder.encode(block.codesOf(at), unit));
      block.rows[at] = row;
      block.assets[at] = asset;
    }
    block.setScale(unit, error);
    yield { block, count: rows.length };
  }
}
