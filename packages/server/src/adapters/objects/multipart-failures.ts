import { ServiceError } from '../../errors.ts';
import type { MultipartUpload, StoredPart } from '../../objects/store.ts';

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

export function uploadNotFound(): ServiceError {
  return new ServiceError(
    'upload_not_found',
    'The upload no longer accepts parts: it was completed, was aborted or has expired. Start a new one.',
  );
}
