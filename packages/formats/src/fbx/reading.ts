import { inflateSync } from 'node:zlib';
import type { Budget } from '../reading/limits.ts';
import { type FbxDocument, readFbx } from './document.ts';
import { type FbxRecord, isFbxArray, numbersIn } from './record.ts';

/** Reads a document within a budget. */
export function readDocument(bytes: Uint8Array, budget: Budget): FbxDocument {
  const source = {
    size: bytes.byteLength,
    part: (start: number, length: number) => bytes.subarray(start, start + length),
  };
  return readFbx(source, (depth) => {
    budget.spend('nodes', 1);
    budget.checkDepth(depth);
  });
}

/** The numbers of a record, unpacked within a budget. */
export function numbersWithin(record: FbxRecord | undefined, budget: Budget): Float64Array {
  const [first] = record?.values ?? [];
  if (isFbxArray(first)) budget.spend('inputBytes', first.length * 8);
  return numbersIn(record, (deflated, bytes) =>
    inflateSync(deflated, { maxOutputLength: Math.max(1, bytes) }),
  );
}
