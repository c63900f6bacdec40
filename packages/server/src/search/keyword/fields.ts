/** What a query token may match in an asset, with the weight of a match (specification, "Search and ranking rules"). */
export const FIELD_WEIGHTS = { title: 3, tags: 2, id: 2, description: 1 } as const;

export type Field = keyof typeof FIELD_WEIGHTS;

export const FIELDS = Object.keys(FIELD_WEIGHTS) as Field[];

/** A set of fields is a number with one bit per field, so that four bits say where a token stands in an asset. */
export const FIELD_BITS = 4;
export const FIELD_MASK = (1 << FIELD_BITS) - 1;

export function fieldBit(field: Field): number {
  return 1 << FIELDS.indexOf(field);
}

/**
 * The summed weight of every set of fields. An exact match earns the full weight and a prefix match half; a token
 * that matches exactly is a prefix match too, so in half points the score of a query token is
 * `WEIGHT_OF[fields with an exact match] + WEIGHT_OF[fields with a prefix match]`.
 */
export const WEIGHT_OF: Uint8Array = Uint8Array.from({ length: FIELD_MASK + 1 }, (_, fields) =>
  FIELDS.reduce((sum, field) => sum + (fields & fieldBit(field) ? FIELD_WEIGHTS[field] : 0), 0),
);

/** How many half points one query token earns at most. */
export const MOST_HALF_POINTS = 2 * (WEIGHT_OF[FIELD_MASK] ?? 0);
