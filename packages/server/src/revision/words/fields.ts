/** The fields of an asset that are searched by relevance. `labels` are its category, kind, format and license. */
export const WORD_FIELDS = ['title', 'id', 'tags', 'labels', 'description'] as const;

export type WordField = (typeof WORD_FIELDS)[number];

/** A set of fields is a number with one bit per field. */
export const WORD_FIELD_BITS = 5;
export const WORD_FIELD_MASK: number = (1 << WORD_FIELD_BITS) - 1;

export function wordFieldBit(field: WordField): number {
  return 1 << WORD_FIELDS.indexOf(field);
}
