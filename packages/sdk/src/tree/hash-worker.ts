import { type HashedFile, hashFile } from './hash-file.ts';

/** Absolute paths of files to hash, and the results in the same order: null if a file changed, or an error. */
export interface HashRequest {
  files: string[];
}
export type HashResult = (HashedFile | null | { error: string; code: string | undefined })[];

export default function hashShare({ files }: HashRequest): HashResult {
  return files.map((file) => {
    try {
      return hashFile(file);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { error: message, code };
    }
  });
}
