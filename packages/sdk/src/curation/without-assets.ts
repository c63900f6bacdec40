import { parseDocument } from 'yaml';

/** The most bytes that a `bindery.yml` may have to be read from a service. */
export const CURATION_BYTES = 32 * 1024 * 1024;

/**
 * The text of a `bindery.yml` without what it says about these assets; comments and order stay. A text that cannot be
 * read, or that says nothing about them, is returned as it is.
 */
export function withoutAssets(text: string, ids: readonly string[]): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return text;
  const deleted = ids.filter((id) => document.hasIn(['assets', id]) && document.deleteIn(['assets', id]));
  return deleted.length === 0 ? text : document.toString({ lineWidth: 0 });
}
