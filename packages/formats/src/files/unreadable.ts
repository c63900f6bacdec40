/** A file is not what it claims to be, or exceeds a limit. The message completes a sentence that names the file. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
}

const POINTER = new TextEncoder().encode('version https://git-lfs.github.com/spec/v1');
/** Pointers are a few lines; nothing larger is one. */
export const MAX_POINTER_BYTES = 1024;

/** What is wrong with a file that is a pointer. */
export const POINTER_WORDS = 'is a Git LFS pointer, not the file itself: run git lfs pull';

/** Whether a file is a pointer of Git LFS, which a checkout without `git lfs pull` has in place of large files. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.byteLength <= MAX_POINTER_BYTES && POINTER.every((byte, at) => bytes[at] === byte);
}
