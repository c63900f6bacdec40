import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import { readWhole } from '../../libraries/revision/matrix-rows.ts';
import type { OwnedRow } from '../../libraries/revision/sidecar-rows.ts';
import { BLOCK_BYTES, BLOCK_ROWS, Block, DIMENSIONS, storedBytes } from './block.ts';
import { codeBlocks } from './code-blocks.ts';

/*
 * A file of codes has the blocks as they are searched, one after another; the last one, if it is not full, has less in
 * each of its parts. At the end stand, little-endian, the magic, how many rows there are and how many the matrix has
 * (32-bit each).
 */
const MAGIC = Buffer.from('bndvec2\n', 'latin1');
const ROWS_AT = MAGIC.length;
const MATRIX_ROWS_AT = ROWS_AT + 4;
const END_BYTES = MATRIX_ROWS_AT + 4;

/** A stored object with codes, as a file on this machine. */
export interface CodesFile {
  file: string;
  sha256: string;
}

export interface CodedMatrix {
  /** The open file, every row of which can be compared. */
  matrix: number;
  rows: number;
  /** The rows that are searched, in the order of their assets. */
  searched: readonly OwnedRow[];
}

/** Codes a matrix into a file, in little memory; answers the SHA-256 of what was written. Holds its thread. */
export function writeCodes(file: string, { matrix, rows, searched }: CodedMatrix): string {
  const hash = createHash('sha256');
  const memory = new Block(new ArrayBuffer(BLOCK_BYTES));
  const output = openSync(file, 'w');
  const append = (bytes: Uint8Array) => {
    hash.update(bytes);
    writeFileSync(output, bytes);
  };
  try {
    for (const { block, count } of codeBlocks(matrix, searched, () => memory)) {
      for (const bytes of block.bytesOf(count)) append(bytes);
    }
    append(encodeEnd({ rows: searched.length, matrixRows: rows }));
  } finally {
    closeSync(output);
  }
  return hash.digest('hex');
}

/** What codes are to be the codes of. */
export interface CodesOwner {
  /** Bytes of the matrix. */
  matrixBytes: number;
  /** Assets of the revision. */
  assetCount: number;
}

export type CodesRead = { ok: true; rows: number } | { ok: false; problem: string };

/**
 * Reads codes into blocks and checks every byte of them. Where it does not answer `ok`, what stands in the blocks is
 * worth nothing. Holds its thread.
 */
export function readCodes(
  codes: CodesFile,
  owner: CodesOwner,
  blockAt: (number: number) => Block,
): CodesRead {
  try {
    const input = openSync(codes.file, 'r');
    try {
      return { ok: true, ...readOpened(input, codes.sha256, owner, blockAt) };
    } finally {
      closeSync(input);
    }
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function readOpened(
  input: number,
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
      readWhole(input, bytes, position);
      hash.update(bytes);
      position += bytes.length;
    }
    checkOwners(block, count, end.matrixRows, owned);
  }
  if (hash.update(endBytes).digest('hex') !== sha256) throw new Error('The codes are damaged.');
  return { rows: end.rows };
}

/** Nothing of it is believed before the hash is known, but that there is room for so many rows. */
function readEnd(input: number, { matrixBytes, assetCount }: CodesOwner): { bytes: Buffer; end: End } {
  const { size } = fstatSync(input);
  const bytes = Buffer.alloc(END_BYTES);
  readWhole(input, bytes, Math.max(0, size - END_BYTES));
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('The codes are of another form.');
  const end = decodeEnd(bytes);
  if (
    size !== storedBytes(end.rows) + END_BYTES ||
    matrixBytes !== end.matrixRows * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT ||
    end.rows > assetCount
  ) {
    throw new Error('The codes are of another size than the vectors.');
  }
  return { bytes, end };
}

/** Throws unless every row is in the matrix, and every asset is there and has no codes yet; marks those that have. */
function checkOwners({ rows, assets }: Block, count: number, matrixRows: number, owned: Uint8Array): void {
  for (let at = 0; at < count; at++) {
    const asset = assets[at] as number;
    if (asset >= owned.length) throw new Error('There are codes of assets that are not there.');
    if (owned[asset] === 1) throw new Error('There are codes of an asset twice.');
    if ((rows[at] as number) >= matrixRows) throw new Error('There are codes of rows that are not there.');
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
