import { type HashedFile, hashFile } from './hash-file.ts';

/** Files to hash, as absolute paths, and the answers in the same order: null where one changed, or what went wrong. */
export interface HashRequest {
  files: string[];
}
export type HashAnswer = (HashedFile | null | { error: string })[];

export default function hashShare({ files }: HashRequest): HashAnswer {
  return files.map((file) => {
    try {
      return hashFile(file);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}
