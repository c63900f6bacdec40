import { MANIFEST_SCHEMA } from '../names.ts';

/** How a library was pushed: in the current layout, or as `assets.json` at its root by older clients. */
export type ManifestLayout = 'current' | 'legacy';

/** Converts a legacy document to the current layout by filling in its `schema` if that is absent. */
export function withSchema(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const { schema = MANIFEST_SCHEMA, ...rest } = document as Record<string, unknown>;
  return { ...rest, schema };
}
