import { type HashedFile, hashFile } from './hash-file.ts';

/** Absolute paths of files to hash, and the results in the same order: null if a file changed, or an error. */
export interface HashRequest {
  files: string[];
}
export type HashResult = (HashedFile | null | { error: string })[];

export default function hashShare({ files }: HashRequest): HashResult {
  return files.map((file) => {
    try {
      return hashFile(file);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}
