/**
 * Returns the text that an asset's text vector encodes: title, tags, description, in this order because models read
 * only the first few dozen words. Null if the asset has none of them.
 */
export function embeddingText({
  title,
  tags,
  description,
}: {
  title?: string | null | undefined;
  tags?: readonly string[] | undefined;
  description?: string | null | undefined;
}): string | null {
  const text = [title, tags?.join(', '), description]
    .map((part) => (part ?? '').trim().replace(/(?<![.\s])[.\s]+$/, ''))
    .filter((part) => part !== '')
    .join('. ');
  return text === '' ? null : text;
}
