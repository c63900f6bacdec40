/** The fields of an asset that are searched by keyword. */
export const FIELDS = ['title', 'tags', 'id', 'description'] as const;

export type Field = (typeof FIELDS)[number];

/** A set of fields is a number with one bit per field, so that four bits record where a token occurs in an asset. */
export const FIELD_BITS = 4;
export const FIELD_MASK = (1 << FIELD_BITS) - 1;

export function fieldBit(field: Field): number {
  return 1 << FIELDS.indexOf(field);
}
