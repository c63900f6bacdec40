/** Maximum bytes of a `bindery.yml` that is merged, which reads three of them. */
const MAX_MERGED_BYTES = 1024 * 1024;

/** Returns the text of a `bindery.yml` that can be merged; undefined for one that is too large or not in UTF-8. */
export function mergeableText(bytes: Uint8Array | null): string | undefined {
  if (bytes === null || bytes.byteLength > MAX_MERGED_BYTES) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
