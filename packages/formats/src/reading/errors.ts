import { UnreadableFileError } from '../files/unreadable.ts';

/** The asset cannot be drawn; the message is the warning shown to its author. */
export class Unrenderable extends Error {
  override name = 'Unrenderable';
}

/** There is nothing to see in it, or nothing of it is drawn. */
export class NothingVisible extends Unrenderable {
  override name = 'NothingVisible';
}

/** What reads the file is not installed here. */
export class ReaderMissing extends Unrenderable {
  override name = 'ReaderMissing';
}

/** The only obstacle is that the asset exceeds the configured limits. */
export class TooLarge extends Unrenderable {
  override name = 'TooLarge';
}

/**
 * Returns what a reader of files returns. @throws Unrenderable where that throws `UnreadableFileError`, about `subject` if
 * the message does not name it itself.
 */
export function readable<T>(read: () => T, subject = ''): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableFileError)
      throw new Unrenderable(`${subject} ${error.message}`.trim(), { cause: error });
    throw error;
  }
}
