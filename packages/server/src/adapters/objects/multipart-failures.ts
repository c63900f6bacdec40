import { ServiceError } from '../../errors.ts';
import type { MultipartUpload, StoredObject, StoredPart } from '../../objects/store.ts';
import { mismatch } from './http/body.ts';

export function sizeOfPart({ size, partSize }: MultipartUpload, partNumber: number): number {
  return Math.min(partSize, size - (partNumber - 1) * partSize);
}

export function missingNumbers(parts: readonly StoredPart[], wanted: number): number[] {
  const there = new Set(parts.map(({ partNumber }) => partNumber));
  return Array.from({ length: wanted }, (_, index) => index + 1).filter((number) => !there.has(number));
}

export function partsMissing(numbers: number[]): ServiceError {
  const listed = numbers.slice(0, 100);
  return new ServiceError(
    'parts_missing',
    `${numbers.length} parts are still missing: ${listed.join(', ')}.`,
    {
      parts: listed,
      total: numbers.length,
    },
  );
}

/** Throws `upload_mismatch` if the joined parts are not what was announced. */
export function requireAnnounced({ path, size, sha256 }: MultipartUpload, stored: StoredObject): void {
  if (stored.size === size && (sha256 === null || sha256 === stored.sha256)) return;
  throw mismatch(`The joined parts do not match what was announced for "${path}". Upload it again.`, {
    expected: { size, sha256 },
    received: stored,
  });
}

export function uploadNotFound(): ServiceError {
  return new ServiceError(
    'upload_not_found',
    'The upload no longer accepts parts: it was completed, was aborted or has expired. Start a new one.',
  );
}
