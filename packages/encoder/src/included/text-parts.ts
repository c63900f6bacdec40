/** Characters of one part: longer ones say no more, and take long. */
const MAX_PART = 600;

/** Title, tags, and all of the description. */
const MAX_PARTS = 3;

/**
 * The parts of a text that are encoded apart and counted alike: title, tags and description where it is that of an asset.
 * Encoded in one, a long description would drown its title.
 */
export function textParts(text: string): string[] {
  const sentences = text.split('. ');
  const parts = [...sentences.slice(0, MAX_PARTS - 1), sentences.slice(MAX_PARTS - 1).join('. ')];
  const written = parts
    .map((part) => part.trim().slice(0, MAX_PART).toWellFormed())
    .filter((part) => part !== '');
  return written.length > 0 ? written : [' '];
}
