import { FIELD_MASK, FIELDS, type Field, fieldBit } from '../../revision/keywords/keyword-index.ts';

/** The weight of an exact match in a field; a prefix match counts half (specification, "Search and ranking rules"). */
export const FIELD_WEIGHTS: Readonly<Record<Field, number>> = { title: 3, tags: 2, id: 2, description: 1 };

/**
 * The summed weight of every set of fields. A token that matches exactly matches as a prefix too, so in half points a
 * query token scores `WEIGHT_OF[fields with an exact match] + WEIGHT_OF[fields with a prefix match]`.
 */
export const WEIGHT_OF: Uint8Array = Uint8Array.from({ length: FIELD_MASK + 1 }, (_, fields) =>
  FIELDS.reduce((sum, field) => sum + (fields & fieldBit(field) ? FIELD_WEIGHTS[field] : 0), 0),
);

/** The most half points that one query token can score. */
export const MAX_HALF_POINTS = 2 * (WEIGHT_OF[FIELD_MASK] ?? 0);
