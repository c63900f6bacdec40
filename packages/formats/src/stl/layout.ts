/** Bytes before the first facet of a binary file, and of each facet. */
export const STL_HEADER_BYTES = 84;
export const STL_FACET_BYTES = 50;

/** How an STL file is written. `facets` is what a binary file announces, which it may not have. */
export type StlLayout = { readonly binary: true; readonly facets: number } | { readonly binary: false };

/**
 * Tells binary STL from text by its first bytes (512 are enough) and its size: many binary files begin with `solid`,
 * as text does, but have the size that they announce, or zeros.
 */
export function stlLayout(head: Uint8Array, size: number): StlLayout {
  if (size < STL_HEADER_BYTES || head.byteLength < STL_HEADER_BYTES) return { binary: false };
  const facets = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(80, true);
  if (size === STL_HEADER_BYTES + facets * STL_FACET_BYTES) return { binary: true, facets };
  const start = head.subarray(0, 512);
  const isText = /^\s*solid/i.test(new TextDecoder('latin1').decode(start)) && !start.includes(0);
  return isText ? { binary: false } : { binary: true, facets };
}
