import { MANIFEST_SCHEMA } from '../names.ts';

/** How a library was pushed: as today, or as `assets.json` at its root by clients of earlier days. */
export type ManifestLayout = 'current' | 'legacy';

/** A legacy document as one of today: the same, with its `schema` filled in where it is absent. */
export function withSchema(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const { schema = MANIFEST_SCHEMA, ...rest } = document as Record<string, unknown>;
  return { ...rest, schema };
}
