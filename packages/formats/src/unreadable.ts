/** A file is not what it claims to be, or exceeds a limit. The message completes a sentence that names the file. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
}
