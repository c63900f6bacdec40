import { LIMITS } from '@bindery/contract';

const MIB = 1024 * 1024;

/**
 * Bytes of each part except the last of a file of `size` bytes: whole MiB, large enough to bound the number of
 * parts.
 */
export function partSizeFor(size: number): number {
  const smallest = Math.ceil(size / LIMITS.parts / MIB) * MIB;
  return Math.max(LIMITS.partSize, smallest);
}

/** The numbers of all parts, counted from 1. */
export function partNumbers({ size, partSize }: { size: number; partSize: number }): number[] {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, index) => index + 1);
}

/** Bytes of one part. */
export function sizeOfPart(
  { size, partSize }: { size: number; partSize: number },
  partNumber: number,
): number {
  return Math.min(partSize, size - (partNumber - 1) * partSize);
}
