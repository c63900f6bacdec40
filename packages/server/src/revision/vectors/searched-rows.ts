import type { SidecarDocument } from '@bindery/contract';
import type { RevisionIndex } from '../revision-index.ts';

/** A row of the matrix, and the number of its asset in the revision. */
export interface OwnedRow {
  asset: number;
  row: number;
}

/**
 * Returns the rows that are searched, in the order of their assets: those of images or, if no asset has an image, those
 * of texts (specification, "Search and ranking rules"). Returns a problem if the sidecar names an asset that does not
 * exist.
 */
export function searchedRows(
  items: SidecarDocument['items'],
  index: Pick<RevisionIndex, 'indexOfAsset'>,
): { ok: true; rows: OwnedRow[] } | { ok: false; problem: string } {
  const side = items.some(({ image }) => typeof image === 'number') ? 'image' : 'text';
  const rows: OwnedRow[] = [];
  for (const item of items) {
    const asset = index.indexOfAsset(item.id);
    if (asset < 0) return { ok: false, problem: `vectors.json: there is no asset "${item.id}"` };
    const row = item[side];
    if (typeof row === 'number') rows.push({ asset, row });
  }
  return { ok: true, rows: rows.sort((a, b) => a.asset - b.asset) };
}
