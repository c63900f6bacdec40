import { isMap, parseDocument } from 'yaml';

/**
 * Sets values of an asset, or of the library if `asset` is null, in the text of a `bindery.yml`; undefined removes one.
 * Comments and order are preserved. Text that cannot be parsed is returned unchanged.
 */
export function withMetadata(
  text: string,
  asset: string | null,
  values: Readonly<Record<string, unknown>>,
): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return text;
  const place = asset === null ? ['library'] : ['assets', asset];
  for (const [at] of place.entries()) {
    const path = place.slice(0, at + 1);
    if (!isMap(document.getIn(path))) document.setIn(path, document.createNode({}));
  }
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) document.deleteIn([...place, key]);
    else document.setIn([...place, key], document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** Maximum bytes of a `bindery.yml` that is read from a service. */
export const CURATION_BYTES = 32 * 1024 * 1024;

/**
 * Removes what the text of a `bindery.yml` states about these assets; comments and order are preserved. Text that
 * cannot be parsed, or that states nothing about them, is returned unchanged.
 */
export function withoutAssets(text: string, ids: readonly string[]): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return text;
  const deleted = ids.filter((id) => document.hasIn(['assets', id]) && document.deleteIn(['assets', id]));
  return deleted.length === 0 ? text : document.toString({ lineWidth: 0 });
}
