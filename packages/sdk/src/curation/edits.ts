import { isMap, isScalar } from 'yaml';
import { CurationError } from '../failures.ts';
import { parseYaml } from './curation.ts';

/**
 * Sets values of an asset, or of the library if `asset` is null, in the text of a `bindery.yml`; undefined removes one.
 * Comments and order are preserved. Text that cannot be parsed is returned unchanged.
 */
export function withMetadata(
  text: string,
  asset: string | null,
  values: Readonly<Record<string, unknown>>,
): string {
  const document = readable(text);
  if (document === null) return text;
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
  const document = readable(text);
  const assets = document?.get('assets');
  if (document === null || !isMap(assets)) return text;
  const unwanted = new Set<unknown>(ids);
  const kept = assets.items.filter(({ key }) => !unwanted.has(isScalar(key) ? key.value : key));
  if (kept.length === assets.items.length) return text;
  assets.items = kept;
  return document.toString({ lineWidth: 0 });
}

function readable(text: string): ReturnType<typeof parseYaml> | null {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof CurationError) return null;
    throw error;
  }
}
