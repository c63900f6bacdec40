/** A problem with folders and files on this machine; the sentence names the paths and says what to do. */
export class TreeError extends Error {
  override name = 'TreeError';
}

const LISTED = 20;

/** A sentence followed by the first paths that it is about, one a line. */
export function sentenceWithPaths(sentence: string, lines: readonly string[]): string {
  const more = lines.length > LISTED ? [`… and ${lines.length - LISTED} more`] : [];
  return [sentence, ...lines.slice(0, LISTED), ...more].join('\n  ');
}
