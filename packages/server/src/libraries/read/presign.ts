import { basename } from 'node:path/posix';
import type { PresignedFile } from '@bindery/contract';
import type { ObjectStore } from '../../objects/store.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';

type FileToPresign = Omit<ClosureFile, 'platform'>;

/** A file of a revision with a presigned URL that serves it as a download under its own name. */
export function presignFile(
  objects: ObjectStore,
  storeId: string,
  { path, size, sha256 }: FileToPresign,
  ttlSeconds: number,
): PresignedFile {
  return { path, size, sha256, url: presignUrl(objects, storeId, { path, size, sha256 }, ttlSeconds) };
}

export function presignUrl(
  objects: ObjectStore,
  storeId: string,
  { path, size, sha256 }: FileToPresign,
  ttlSeconds: number,
): string {
  return objects.presignGet({ storeId, sha256, size }, basename(path), ttlSeconds);
}
