import { parseDocument } from 'yaml';

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
